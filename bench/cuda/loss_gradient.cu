// Compares variants of the kernel for loss and gradient (src/engine/cuda/mixture_kernel.cuh): each is
// checked against f64 on the host, then timed beside a plain read of the same bytes.
//
//   bench_cuda_loss_gradient [rows]     50,000,000 rows if not given
#include <algorithm>
#include <cmath>

#include "cuda/made_rows.cuh"
#include "engine/cuda/launch_mixture.cuh"
#include "engine/cuda/pass_layout.hpp"

namespace otss::bench {
namespace {

using internal::kTileRows;
using internal::MixtureLayout;
using namespace internal::cuda;

constexpr std::uint64_t kCheckedTiles = 200;
constexpr int kRepeats = 11;

template <class... S>
std::vector<MixtureKernel> variants() {
  return {MixtureKernel{S::kShape, launch_mixture<S>}...};
}

// A log on the GPU, and parameters.
struct Log {
  MixtureLayout layout;
  std::uint64_t num_tiles;
  int num_blocks = 0;
  float* features = nullptr;
  float* weights = nullptr;
  std::vector<double> theta;

  Log(const MixtureLayout& shape, std::uint64_t tiles) : layout(shape), num_tiles(tiles) {
    require(cudaDeviceGetAttribute(&num_blocks, cudaDevAttrMultiProcessorCount, 0), "device");
    require(cudaMalloc(&features, num_floats() * sizeof(float)), "memory");
    require(cudaMalloc(&weights, tiles * kTileRows * sizeof(float)), "memory");
    fill_with_noise<<<num_blocks * 8, 256>>>(features, num_floats());
    fill_with_weights<<<num_blocks * 8, 256>>>(weights, tiles * kTileRows);
    require(cudaDeviceSynchronize(), "fill");
    for (std::size_t j = 0; j < layout.size(); ++j)
      theta.push_back(static_cast<float>(0.2 * noise(j + 1000003)));
  }
  ~Log() {
    cudaFree(features);
    cudaFree(weights);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  int num_columns() const { return layout.num_contexts + layout.num_factors; }
  std::uint64_t num_floats() const { return num_tiles * num_columns() * kTileRows; }
  double num_bytes() const {
    return static_cast<double>(num_floats() + num_tiles * kTileRows) * sizeof(float);
  }
};

// One kernel over one log.
class Pass {
 public:
  Pass(const Log& log, const MixtureKernel& kernel)
      : log_(log), kernel_(kernel), order_(kernel.shape, log.layout) {
    constants_ = order_.constants(log.theta);
    coefficients_ = order_.coefficients(log.theta);
    num_sums_ =
        static_cast<std::size_t>(log.num_blocks) * kernel.shape.warps * kernel.shape.sums_of_warp();
    require(cudaMalloc(&sums_, num_sums_ * sizeof(double)), "memory");
  }
  ~Pass() { cudaFree(sums_); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  void start() const {
    const PassRows rows{.features = log_.features,
                        .signed_weights = log_.weights,
                        .num_tiles = log_.num_tiles,
                        .num_contexts = log_.layout.num_contexts,
                        .num_columns = log_.num_columns(),
                        .sums = sums_};
    require(kernel_.launch(rows, {constants_, coefficients_}, log_.num_blocks, nullptr), "launch");
  }

  std::vector<double> result() const {
    require(cudaMemset(sums_, 0, num_sums_ * sizeof(double)), "clear");
    start();
    std::vector<double> sums(num_sums_), totals(order_.sums_of_team());
    require(cudaMemcpy(sums.data(), sums_, num_sums_ * sizeof(double), cudaMemcpyDeviceToHost),
            "pass");
    for (std::size_t i = 0; i < num_sums_; ++i) totals[i % totals.size()] += sums[i];
    return order_.gradient_and_loss(totals);
  }

 private:
  const Log& log_;
  const MixtureKernel& kernel_;
  PassLayout order_;
  std::vector<double> constants_, coefficients_;
  std::size_t num_sums_;
  double* sums_ = nullptr;
};

// Adds one row's derivatives and loss to `out`, as in docs/theory.md, in f64.
void add_row(const MixtureLayout& layout, const std::vector<double>& theta,
             const std::vector<double>& x, double signed_weight, std::vector<double>& out) {
  const int K = layout.num_experts, p = layout.num_contexts, J = layout.num_factors;
  const auto apply = [&](std::size_t at, const double* columns, int count) {
    double sum = theta[at + count];
    for (int c = 0; c < count; ++c) sum += theta[at + c] * columns[c];
    return sum;
  };
  std::vector<double> share(K), score(K);
  double total = 0, mean = 0;
  for (int k = 0; k < K; ++k) {
    share[k] = k + 1 < K ? std::exp(apply(layout.gate(k), x.data(), p)) : 1.0;
    score[k] = apply(layout.expert(k), x.data() + p, J);
    total += share[k];
    mean += share[k] * score[k];
  }
  mean /= total;
  const double eta = apply(layout.baseline(), x.data(), p) + mean;
  const double margin = signed_weight > 0 ? eta : -eta;
  out.back() += std::abs(signed_weight) * std::log1p(std::exp(-margin));
  const double by_eta = -signed_weight / (1 + std::exp(margin));
  const auto add = [&](std::size_t at, const double* columns, int count, double by) {
    for (int c = 0; c < count; ++c) out[at + c] += by * columns[c];
    out[at + count] += by;
  };
  for (int k = 0; k < K; ++k) {
    const double by_expert = by_eta * share[k] / total;
    if (k + 1 < K) add(layout.gate(k), x.data(), p, by_expert * (score[k] - mean));
    add(layout.expert(k), x.data() + p, J, by_expert);
  }
  add(layout.baseline(), x.data(), p, by_eta);
}

std::vector<double> reference(const Log& log) {
  const int columns = log.num_columns();
  std::vector<float> features(log.num_floats()), weights(log.num_tiles * kTileRows);
  require(cudaMemcpy(features.data(), log.features, features.size() * sizeof(float),
                     cudaMemcpyDeviceToHost),
          "copy");
  require(cudaMemcpy(weights.data(), log.weights, weights.size() * sizeof(float),
                     cudaMemcpyDeviceToHost),
          "copy");
  std::vector<double> out(log.layout.size() + 1), x(columns);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    for (int c = 0; c < columns; ++c)
      x[c] = features[(row / kTileRows * columns + c) * kTileRows + row % kTileRows];
    add_row(log.layout, log.theta, x, weights[row], out);
  }
  return out;
}

// Returns the largest error of the gradient, relative to its largest entry.
double error_of(const std::vector<double>& result, const std::vector<double>& expected) {
  double error = 0, largest = 0;
  for (std::size_t j = 0; j + 1 < expected.size(); ++j) {
    error = std::isnan(result[j]) ? INFINITY : std::max(error, std::abs(result[j] - expected[j]));
    largest = std::max(largest, std::abs(expected[j]));
  }
  return error / largest;
}

void compare(const MixtureLayout& layout, std::uint64_t num_tiles,
             const std::vector<MixtureKernel>& kernels) {
  const Log few(layout, kCheckedTiles), many(layout, num_tiles);
  const std::vector<double> expected = reference(few);
  const float read_ms = median_ms(kRepeats, [&] {
    read_all<<<many.num_blocks * 16, 512>>>(reinterpret_cast<const float4*>(many.features),
                                            many.num_floats() / 4, many.weights);
  });
  const double read_rate = static_cast<double>(many.num_floats()) * sizeof(float) / read_ms;
  std::printf("p=%d J=%d K=%d, %.2e rows: plain read %.2f TB/s\n", layout.num_contexts,
              layout.num_factors, layout.num_experts,
              static_cast<double>(num_tiles) * static_cast<double>(kTileRows), read_rate / 1e9);
  for (const MixtureKernel& kernel : kernels) {
    const KernelShape& shape = kernel.shape;
    const std::vector<double> result = Pass(few, kernel).result();
    const Pass pass(many, kernel);
    const bool same_bits = pass.result() == pass.result();
    const float ms = median_ms(kRepeats, [&] { pass.start(); });
    std::printf(
        "  f%d  shape %2d %2d  team %d  warps %2d  stages %d  %6.3f ms  %.2f TB/s  %3.0f %% of the "
        "read "
        " "
        "gradient %.1e  loss %.1e  same bits %s\n",
        8 * shape.real_bytes, shape.contexts, shape.factors, shape.team, shape.warps, shape.stages,
        ms, many.num_bytes() / ms / 1e9, 100 * many.num_bytes() / ms / read_rate,
        error_of(result, expected), std::abs(result.back() / expected.back() - 1),
        same_bits ? "yes" : "NO");
    std::fflush(stdout);
  }
}

void compare_all(std::uint64_t num_tiles) {
  compare({20, 10, 5}, num_tiles,
          variants<Unrolled<20, 12, 5, 1, 8, 3>, Unrolled<20, 12, 5, 1, 8, 4>,
                   Unrolled<20, 12, 5, 1, 8, 6>, Unrolled<20, 12, 5, 2, 8, 4>,
                   Unrolled<20, 12, 5, 2, 12, 3>, Unrolled<20, 12, 5, 2, 16, 2>,
                   Unrolled<20, 12, 5, 4, 12, 3>, Unrolled<20, 12, 5, 4, 16, 2>,
                   Unrolled<20, 12, 5, 4, 12, 3, double>, Unrolled<20, 12, 5, 4, 8, 4, double>,
                   Unrolled<20, 12, 5, 2, 8, 3, double>>());
  compare({20, 10, 2}, num_tiles,
          variants<Unrolled<20, 12, 2, 1, 8, 4>, Unrolled<20, 12, 2, 1, 12, 4>,
                   Unrolled<20, 12, 2, 1, 16, 3>, Unrolled<20, 12, 2, 2, 16, 3>>());
  compare({20, 10, 8}, num_tiles,
          variants<Unrolled<20, 12, 8, 2, 8, 4>, Unrolled<20, 12, 8, 2, 10, 4>,
                   Unrolled<20, 12, 8, 4, 8, 4>, Unrolled<20, 12, 8, 4, 12, 3>,
                   Unrolled<20, 12, 8, 4, 16, 2>>());
  compare({64, 10, 3}, num_tiles,
          variants<Unrolled<64, 12, 3, 2, 8, 2>, Unrolled<64, 12, 3, 2, 10, 2>,
                   Unrolled<64, 12, 3, 4, 8, 2>>());
  compare({64, 10, 5}, num_tiles,
          variants<Unrolled<64, 12, 5, 2, 8, 2>, Unrolled<64, 12, 5, 4, 8, 2>>());
  compare({8, 6, 3}, num_tiles,
          variants<Unrolled<8, 8, 3, 1, 8, 4>, Unrolled<8, 8, 3, 1, 12, 4>,
                   Unrolled<8, 8, 3, 1, 16, 4>>());
  compare({32, 16, 5}, num_tiles,
          variants<Unrolled<32, 16, 5, 2, 8, 3>, Unrolled<32, 16, 5, 4, 8, 3>,
                   Unrolled<32, 16, 5, 4, 12, 2>>());
}

}  // namespace
}  // namespace otss::bench

int main(int argc, char** argv) {
  const double rows = argc > 1 ? std::atof(argv[1]) : 5e7;
  otss::bench::compare_all(static_cast<std::uint64_t>(rows) / otss::internal::kTileRows);
}
