// Compares variants of the kernels for loss and gradient (src/engine/cuda/mixture_kernel.cuh, and
// half_kernel.cuh for rows in f16): each is checked against f64 on the host, then timed beside a plain
// read of the same bytes. The variants that otss uses have a star.
//
//   bench_cuda_loss_gradient [rows]     50,000,000 rows if not given
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "cuda/made_rows.cuh"
#include "engine/cuda/half/half_layout.hpp"
#include "engine/cuda/half/launch_half.cuh"
#include "engine/cuda/launch_mixture.cuh"
#include "engine/cuda/pass_layout.hpp"

namespace otss::bench {
namespace {

using internal::kTileRows;
using internal::MixtureLayout;
using namespace internal::cuda;

constexpr std::uint64_t kCheckedTiles = 200;
constexpr int kRepeats = 11;

// A log on the GPU, and parameters.
struct Log {
  MixtureLayout layout;
  std::uint64_t num_tiles;
  int num_blocks = 0;
  float* features = nullptr;
  void* halves = nullptr;  // the features in f16 (engine/half/half_rows.hpp)
  float* weights = nullptr;
  std::vector<double> theta;

  Log(const MixtureLayout& shape, std::uint64_t tiles) : layout(shape), num_tiles(tiles) {
    require(cudaDeviceGetAttribute(&num_blocks, cudaDevAttrMultiProcessorCount, 0), "device");
    require(cudaMalloc(&features, num_floats() * sizeof(float)), "memory");
    require(cudaMalloc(&halves, num_floats() * 2), "memory");
    require(cudaMalloc(&weights, tiles * kTileRows * sizeof(float)), "memory");
    fill_with_noise<<<num_blocks * 8, 256>>>(features, num_floats());
    store_in_half<<<num_blocks * 8, 256>>>(features, num_floats(), num_columns(),
                                           static_cast<__half*>(halves));
    fill_with_weights<<<num_blocks * 8, 256>>>(weights, tiles * kTileRows);
    require(cudaDeviceSynchronize(), "fill");
    for (std::size_t j = 0; j < layout.size(); ++j)
      theta.push_back(static_cast<float>(0.2 * noise(j + 1000003)));
  }
  ~Log() {
    cudaFree(features);
    cudaFree(halves);
    cudaFree(weights);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  int num_columns() const { return layout.num_contexts + layout.num_factors; }
  std::uint64_t num_floats() const { return num_tiles * num_columns() * kTileRows; }
  double num_bytes(int bytes_of_number) const {
    return static_cast<double>(num_floats() * bytes_of_number +
                               num_tiles * kTileRows * sizeof(float));
  }
};

// A kernel with what the comparison needs of it.
struct Variant {
  std::string name;
  bool is_used;           // by otss
  int bytes_of_number;    // of a column, as stored
  std::size_t num_parts;  // of a thread block that have sums of their own
  std::size_t part_size;
  std::function<void(const Log&, double* sums)> start;
  std::function<std::vector<double>(const MixtureLayout&, const std::vector<double>&)> result;
};

template <class S>
Variant single_variant() {
  constexpr KernelShape kShape = S::kShape;
  char name[100];
  std::snprintf(name, sizeof(name), "f%d  shape %2d %2d  team %d  warps %2d  stages %d",
                8 * kShape.real_bytes, kShape.contexts, kShape.factors, kShape.team, kShape.warps,
                kShape.stages);
  constexpr bool kIsUsed =
      kShape == mixture_shape(kShape.contexts, kShape.factors, kShape.experts, kShape.real_bytes);
  return {name,
          kIsUsed,
          sizeof(float),
          static_cast<std::size_t>(kShape.num_teams()),
          static_cast<std::size_t>(kShape.team) * kShape.sums_of_warp(),
          [](const Log& log, double* sums) {
            const PassLayout order(S::kShape, log.layout);
            const PassRows rows{.features = log.features,
                                .signed_weights = log.weights,
                                .num_tiles = log.num_tiles,
                                .num_contexts = log.layout.num_contexts,
                                .num_columns = log.num_columns(),
                                .sums = sums};
            require(
                launch_mixture<S>(rows, {order.constants(log.theta), order.coefficients(log.theta)},
                                  log.num_blocks, nullptr),
                "launch");
          },
          [](const MixtureLayout& layout, const std::vector<double>& totals) {
            return PassLayout(S::kShape, layout).gradient_and_loss(totals);
          }};
}

template <class S>
Variant half_variant() {
  constexpr HalfShape kShape = S::kShape;
  char name[100];
  std::snprintf(name, sizeof(name), "f16  columns %2d          warps %2d  stages %d",
                kShape.columns(), kShape.warps, kShape.stages);
  return {name,
          kShape == half_shape(kShape.experts, kShape.steps),
          2,
          static_cast<std::size_t>(kShape.warps),
          static_cast<std::size_t>(kShape.sums_of_warp()),
          [](const Log& log, double* sums) {
            const HalfLayout order(S::kShape, log.layout);
            const HalfPassRows rows{.features = log.halves,
                                    .signed_weights = log.weights,
                                    .num_tiles = log.num_tiles,
                                    .num_columns = log.num_columns(),
                                    .sums = sums};
            require(
                launch_half<S>(rows, {order.constants(log.theta), order.coefficients(log.theta)},
                               log.num_blocks, nullptr),
                "launch");
          },
          [](const MixtureLayout& layout, const std::vector<double>& totals) {
            return HalfLayout(S::kShape, layout).gradient_and_loss(totals);
          }};
}

// Kernels for rows in f32, and for rows in f16.
template <class... S>
std::vector<Variant> singles() {
  return {single_variant<S>()...};
}
template <class... S>
std::vector<Variant> halves() {
  return {half_variant<S>()...};
}

// One kernel over one log.
class Pass {
 public:
  Pass(const Log& log, const Variant& variant)
      : log_(log),
        variant_(variant),
        num_sums_(log.num_blocks * variant.num_parts * variant.part_size) {
    require(cudaMalloc(&sums_, num_sums_ * sizeof(double)), "memory");
  }
  ~Pass() { cudaFree(sums_); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  void start() const { variant_.start(log_, sums_); }

  std::vector<double> result() const {
    require(cudaMemset(sums_, 0, num_sums_ * sizeof(double)), "clear");
    start();
    std::vector<double> sums(num_sums_), totals(variant_.part_size);
    require(cudaMemcpy(sums.data(), sums_, num_sums_ * sizeof(double), cudaMemcpyDeviceToHost),
            "pass");
    for (std::size_t i = 0; i < num_sums_; ++i) totals[i % totals.size()] += sums[i];
    return variant_.result(log_.layout, totals);
  }

 private:
  const Log& log_;
  const Variant& variant_;
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

void compare(const MixtureLayout& layout, std::uint64_t num_tiles, std::vector<Variant> variants,
             const std::vector<Variant>& in_half = {}) {
  variants.insert(variants.end(), in_half.begin(), in_half.end());
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
  for (const Variant& variant : variants) {
    const std::vector<double> result = Pass(few, variant).result();
    const Pass pass(many, variant);
    const bool same_bits = pass.result() == pass.result();
    const float ms = median_ms(kRepeats, [&] { pass.start(); });
    const double num_bytes = many.num_bytes(variant.bytes_of_number);
    std::printf(
        "%c %s  %6.3f ms  %.2f TB/s  %3.0f %% of the read  gradient %.1e  loss %.1e  same bits "
        "%s\n",
        variant.is_used ? '*' : ' ', variant.name.c_str(), ms, num_bytes / ms / 1e9,
        100 * num_bytes / ms / read_rate, error_of(result, expected),
        std::abs(result.back() / expected.back() - 1), same_bits ? "yes" : "NO");
    std::fflush(stdout);
  }
}

void compare_all(std::uint64_t num_tiles) {
  compare({20, 10, 5}, num_tiles,
          singles<Unrolled<20, 12, 5, 1, 8, 3>, Unrolled<20, 12, 5, 1, 8, 4>,
                  Unrolled<20, 12, 5, 1, 8, 6>, Unrolled<20, 12, 5, 2, 8, 4>,
                  Unrolled<20, 12, 5, 2, 12, 3>, Unrolled<20, 12, 5, 2, 16, 2>,
                  Unrolled<20, 12, 5, 4, 12, 3>, Unrolled<20, 12, 5, 4, 16, 2>,
                  Unrolled<20, 12, 5, 4, 12, 3, double>, Unrolled<20, 12, 5, 4, 8, 4, double>,
                  Unrolled<20, 12, 5, 2, 8, 3, double>>(),
          halves<HalfUnrolled<5, 2>, HalfUnrolled<5, 2, 16, 3>, HalfUnrolled<5, 2, 12, 4>,
                 HalfUnrolled<5, 2, 8, 4>>());
  compare({20, 10, 2}, num_tiles,
          singles<Unrolled<20, 12, 2, 1, 8, 4>, Unrolled<20, 12, 2, 1, 12, 4>,
                  Unrolled<20, 12, 2, 1, 16, 3>, Unrolled<20, 12, 2, 2, 16, 3>>(),
          halves<HalfUnrolled<2, 2>, HalfUnrolled<2, 2, 16, 3>>());
  compare({20, 10, 8}, num_tiles,
          singles<Unrolled<20, 12, 8, 2, 8, 4>, Unrolled<20, 12, 8, 2, 10, 4>,
                  Unrolled<20, 12, 8, 4, 8, 4>, Unrolled<20, 12, 8, 4, 12, 3>,
                  Unrolled<20, 12, 8, 4, 16, 2>>(),
          halves<HalfUnrolled<8, 2>, HalfUnrolled<8, 2, 12, 4>>());
  compare({64, 10, 3}, num_tiles,
          singles<Unrolled<64, 12, 3, 2, 8, 2>, Unrolled<64, 12, 3, 2, 10, 2>,
                  Unrolled<64, 12, 3, 4, 8, 2>>());
  compare({64, 10, 5}, num_tiles,
          singles<Unrolled<64, 12, 5, 2, 8, 2>, Unrolled<64, 12, 5, 4, 8, 2>>(),
          halves<HalfUnrolled<5, 5>>());
  compare({8, 6, 3}, num_tiles,
          singles<Unrolled<8, 8, 3, 1, 8, 4>, Unrolled<8, 8, 3, 1, 12, 4>,
                  Unrolled<8, 8, 3, 1, 16, 4>>());
  compare({32, 16, 5}, num_tiles,
          singles<Unrolled<32, 16, 5, 2, 8, 3>, Unrolled<32, 16, 5, 4, 8, 3>,
                  Unrolled<32, 16, 5, 4, 12, 2>>());
}

}  // namespace
}  // namespace otss::bench

int main(int argc, char** argv) {
  const double rows = argc > 1 ? std::atof(argv[1]) : 5e7;
  otss::bench::compare_all(static_cast<std::uint64_t>(rows) / otss::internal::kTileRows);
}
