// Fits one model to many rows, as the last step of a large fit does, with the passes on the GPU: how
// long it takes, whether two runs have the same bits, and how close the f32 fit is to the f64 optimum.
// Then the same on the processor: by how much the weights differ.
//
//   bench_cuda_fit [rows [threads [cpu]]]
//
// 10,000,000 rows and all cores if not given. The processor fits too if the word cpu is given.
// OTSS_GPU_MEMORY=BYTES limits what may stay on the GPU; every pass copies the rest.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/threads.hpp"
#include "cuda/made_log.hpp"
#include "cuda/need_gpu.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/mixture/mixture_objective.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using namespace otss::bench;

constexpr std::size_t kSampleRows = 100'000;
constexpr std::size_t kComparedRows = 1000;

// Returns the rate at which the GPU reads pinned memory of the host, in GB/s: what the connection
// allows.
double connection_rate() {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  void* from = nullptr;
  cuda::require(cudaMallocHost(&from, kBytes), "share memory with the host");
  std::memset(from, 1, kBytes);
  const cuda::DeviceArray<char> to(kBytes);
  double best = 0;
  for (int repeat = 0; repeat < 4; ++repeat)
    best =
        std::max(best, 1e-9 * kBytes / seconds_of([&] {
                         cuda::require(cudaMemcpy(to.data(), from, kBytes, cudaMemcpyHostToDevice),
                                       "take a copy");
                       }));
  cuda::require(cudaFreeHost(from), "free memory");
  return best;
}

MixtureFit finish(const char* where, const Engine& engine, const Problem& sample,
                  const MixtureFit& near, const FitEffort& effort) {
  MixtureFit fit;
  const double seconds =
      seconds_of([&] { fit = finish_fit(engine, sample, Penalty{}, near.theta, effort); });
  fmt::print("{:4} {}: {:.4f} s, {} passes, mean loss {:.12f}, {}\n", where,
             effort.polish ? "f32 then f64" : "f32         ", seconds, fit.evaluations,
             fit.objective, fit.message);
  std::fflush(stdout);
  return fit;
}

// Returns w(x) = sum_k alpha_k(x) beta_k.
std::vector<double> weights_at(const MixtureFit& fit, const Problem& problem, std::size_t row) {
  std::vector<double> shares, weights(kLayout.num_factors);
  double total = 0;
  for (int k = 0; k < kLayout.num_experts; ++k) {
    double score = 0;
    if (k + 1 < kLayout.num_experts) {
      const double* const gate = &fit.theta[kLayout.gate(k)];
      score = gate[kLayout.num_contexts];
      for (int c = 0; c < kLayout.num_contexts; ++c)
        score += gate[c] * problem.features->at(row, c);
    }
    total += shares.emplace_back(std::exp(score));
  }
  for (int k = 0; k < kLayout.num_experts; ++k)
    for (int j = 0; j < kLayout.num_factors; ++j)
      weights[j] += shares[k] / total * fit.theta[kLayout.expert(k) + j];
  return weights;
}

// Returns the largest difference of a weight, relative to the largest weight.
double weights_differ(const MixtureFit& a, const MixtureFit& b, const Problem& problem) {
  double difference = 0, largest = 0;
  for (std::size_t row = 0; row < std::min(kComparedRows, problem.num_rows()); ++row) {
    const std::vector<double> ours = weights_at(a, problem, row);
    const std::vector<double> theirs = weights_at(b, problem, row);
    for (std::size_t j = 0; j < ours.size(); ++j) {
      difference = std::max(difference, std::abs(ours[j] - theirs[j]));
      largest = std::max(largest, std::abs(theirs[j]));
    }
  }
  return difference / largest;
}

// `copied` are the gigabytes that every pass copies from the host, which the connection allows at the
// rate `connection`.
void time_passes(const Engine& engine, const std::vector<double>& theta, double gigabytes,
                 double copied, double connection) {
  constexpr int kRepeats = 5;
  std::vector<double> gradient(kLayout.size());
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    engine.evaluate(theta, gradient, precision);  // starts the kernel for the first time
    std::vector<double> seconds;
    for (int i = 0; i < kRepeats; ++i)
      seconds.push_back(seconds_of([&] { engine.evaluate(theta, gradient, precision); }));
    const double pass = median(seconds);
    fmt::print(
        "one pass of the GPU, {}: {:.2f} ms, {:.1f} GB/s; copies from the host {:.1f} GB/s, "
        "{:.0f} % of the connection\n",
        precision == Precision::kSingle ? "f32" : "f64", 1e3 * pass, gigabytes / pass,
        copied / pass, 100 * copied / pass / connection);
  }
}

// The two fits of a device: in f32, and continued in f64.
struct TwoFits {
  MixtureFit single, polished;
};

TwoFits fit_twice(const char* where, const Engine& engine, const Problem& sample,
                  const MixtureFit& near, int num_threads) {
  return {finish(where, engine, sample, near, {num_threads, false}),
          finish(where, engine, sample, near, {num_threads, true, kFinalGain})};
}

void report_fits_of_gpu(const TwoFits& fits, const TwoFits& again, const Engine& engine,
                        const Problem& problem) {
  fmt::print("the same bits again: f32 {}, f64 {}\n",
             fits.single.theta == again.single.theta ? "yes" : "NO",
             fits.polished.theta == again.polished.theta ? "yes" : "NO");
  std::vector<double> gradient(kLayout.size());
  MixtureObjective exact(engine, Penalty{}, Precision::kDouble);
  fmt::print("f32 fit: the loss is {:.1e} above the f64 optimum, the weights differ by {:.1e}\n",
             exact.evaluate(fits.single.theta, gradient) / fits.polished.objective - 1,
             weights_differ(fits.single, fits.polished, problem));
}

void compare(std::size_t num_rows, int num_threads, bool with_cpu) {
  const Problem problem = make_problem(num_rows, num_threads);
  const Problem sample = subsample(problem, kSampleRows);
  const MixtureFit near =
      fit_mixture(sample, Penalty{}, kLayout, true_theta(), {num_threads, false});
  fmt::print("the sample's curvature, on the processor: {:.4f} s\n",
             seconds_of([&] { curvature(sample, near.theta, kLayout, num_threads); }));
  const double connection = connection_rate();
  fmt::print("the connection between host and GPU: {:.1f} GB/s\n", connection);
  std::shared_ptr<const cuda::GpuLog> log;
  const double copied = seconds_of([&] {
    log = cuda::copy_to_gpu(*problem.features, Storage::kSingle, kLayout.num_contexts,
                            cuda::weights_to_copy(problem.rows), {}, {}, cuda::bytes_for_tiles(),
                            num_threads);
  });
  const double gigabytes = static_cast<double>(num_rows) * (kColumns + 1) * 4e-9;
  fmt::print("{} rows, {:.1f} GB; {} of {} tiles copied to the GPU in {:.3f} s\n", num_rows,
             gigabytes, log->tiles.num_resident(), log->tiles.num_tiles(), copied);
  const auto on_gpu = make_cuda_engine(log, kLayout.num_experts);
  const double on_host = 1 - static_cast<double>(log->tiles.num_resident()) /
                                 static_cast<double>(log->tiles.num_tiles());
  // The signed weights of all rows are on the GPU.
  const double copied_by_pass = on_host * gigabytes * kColumns / (kColumns + 1);
  time_passes(*on_gpu, near.theta, gigabytes, copied_by_pass, connection);
  const TwoFits gpu = fit_twice("GPU", *on_gpu, sample, near, num_threads);
  const TwoFits again = fit_twice("GPU", *on_gpu, sample, near, num_threads);
  report_fits_of_gpu(gpu, again, *on_gpu, problem);
  if (!with_cpu) return;
  const auto on_cpu = make_engine(problem, kLayout.num_experts, num_threads);
  const TwoFits cpu = fit_twice("CPU", *on_cpu, sample, near, num_threads);
  fmt::print("weights of GPU and CPU differ by {:.1e} in f32, {:.1e} after the polish\n",
             weights_differ(gpu.single, cpu.single, problem),
             weights_differ(gpu.polished, cpu.polished, problem));
}

}  // namespace

int main(int argc, char** argv) {
  need_gpu();
  const double rows = argc > 1 ? std::atof(argv[1]) : 1e7;
  compare(static_cast<std::size_t>(rows), argc > 2 ? std::atoi(argv[2]) : hardware_threads(),
          argc > 3 && std::strcmp(argv[3], "cpu") == 0);
}
