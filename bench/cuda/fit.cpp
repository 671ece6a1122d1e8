// Fits one model to many rows, as the last step of a large fit does, with the passes on the GPU and on
// the processor: how long both take, and by how much the parameters differ.
//
//   bench_cuda_fit [rows [threads]]     10,000,000 rows and all cores if not given
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "engine/cuda/cuda_engine.hpp"
#include "engine/mixture_row.hpp"
#include "learn/mixture/mixture_fit.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr MixtureLayout kLayout{.num_contexts = 20, .num_factors = 10, .num_experts = 5};
constexpr int kColumns = kLayout.num_contexts + kLayout.num_factors;
constexpr std::size_t kSampleRows = 100'000;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> true_theta() {
  Rng rng(7);
  std::vector<double> theta(kLayout.size());
  for (double& value : theta) value = 0.5 * rng.normal();
  return theta;
}

// Returns rows whose outcomes are drawn from the true mixture.
Problem make_problem(std::size_t num_rows, int num_threads) {
  const auto features = std::make_shared<TileMatrix>(num_rows, kColumns);
  std::vector<float> outcomes(num_rows);
  const std::vector<double> theta = true_theta();
  parallel_for(features->num_tiles(), num_threads, [&](std::size_t tile) {
    Rng rng(11, tile);
    MixtureRow row(kLayout, theta, Mixed::kPredictors);
    const std::size_t end = std::min(num_rows, (tile + 1) * kTileRows);
    for (std::size_t i = tile * kTileRows; i < end; ++i) {
      for (int c = 0; c < kColumns; ++c)
        features->at(i, c) = static_cast<float>(rng.uniform(-1.7, 1.7));
      row.evaluate(features->tile(tile) + i % kTileRows);
      outcomes[i] = rng.uniform() < 1 / (1 + std::exp(-row.eta())) ? 1.0F : 0.0F;
    }
  });
  return {
      .features = features, .num_contexts = kLayout.num_contexts, .rows = SignedWeights(outcomes)};
}

struct TimedFit {
  MixtureFit fit;
  double seconds = 0;
};

TimedFit finish(const char* where, const Engine& engine, const Problem& sample,
                const MixtureFit& near, const FitEffort& effort) {
  TimedFit timed;
  timed.seconds =
      seconds_of([&] { timed.fit = finish_fit(engine, sample, Penalty{}, near.theta, effort); });
  fmt::print("{:4} {}: {:.3f} s, {} passes, mean loss {:.12f}, {}\n", where,
             effort.polish ? "f32 then f64" : "f32         ", timed.seconds, timed.fit.evaluations,
             timed.fit.objective, timed.fit.message);
  std::fflush(stdout);
  return timed;
}

double largest_difference(const MixtureFit& a, const MixtureFit& b) {
  double difference = 0, largest = 0;
  for (std::size_t j = 0; j < a.theta.size(); ++j) {
    difference = std::max(difference, std::abs(a.theta[j] - b.theta[j]));
    largest = std::max(largest, std::abs(b.theta[j]));
  }
  return difference / largest;
}

void compare(std::size_t num_rows, int num_threads) {
  const Problem problem = make_problem(num_rows, num_threads);
  const Problem sample = subsample(problem, kSampleRows);
  const MixtureFit near =
      fit_mixture(sample, Penalty{}, kLayout, true_theta(), {num_threads, false});
  std::shared_ptr<const cuda::GpuLog> log;
  const double copied = seconds_of([&] {
    log = cuda::copy_to_gpu(*problem.features, kLayout.num_contexts, problem.rows, {}, {},
                            cuda::bytes_for_tiles(), num_threads);
  });
  const double gigabytes = static_cast<double>(num_rows) * (kColumns + 1) * 4e-9;
  fmt::print("{} rows, {:.1f} GB; copied to the GPU in {:.3f} s ({:.1f} GB/s)\n", num_rows,
             gigabytes, copied, gigabytes / copied);
  const auto on_gpu = make_cuda_engine(log, kLayout.num_experts);
  std::vector<double> gradient(kLayout.size());
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    on_gpu->evaluate(near.theta, gradient, precision);  // starts the kernel for the first time
    const double pass = seconds_of([&] { on_gpu->evaluate(near.theta, gradient, precision); });
    fmt::print("one pass of the GPU, {}: {:.2f} ms, {:.1f} GB/s\n",
               precision == Precision::kSingle ? "f32" : "f64", 1e3 * pass, gigabytes / pass);
  }
  const auto on_cpu = make_engine(problem, kLayout.num_experts, num_threads);
  for (const bool polish : {false, true}) {
    const FitEffort effort{num_threads, polish};
    const TimedFit gpu = finish("GPU", *on_gpu, sample, near, effort);
    const TimedFit again = finish("GPU", *on_gpu, sample, near, effort);
    fmt::print("the same bits again: {}\n", gpu.fit.theta == again.fit.theta ? "yes" : "NO");
    const TimedFit cpu = finish("CPU", *on_cpu, sample, near, effort);
    fmt::print("parameters differ by {:.1e} of the largest\n",
               largest_difference(gpu.fit, cpu.fit));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double rows = argc > 1 ? std::atof(argv[1]) : 1e7;
  compare(static_cast<std::size_t>(rows), argc > 2 ? std::atoi(argv[2]) : hardware_threads());
}
