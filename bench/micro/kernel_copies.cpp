// The speed-up of independent copies of the kernel: how many times as many rows N threads process
// as one, when no thread waits for another and all data are in the caches. No program can use this
// machine better than that.
//
//   kernel_copies N…     prints a line "N speed-up" for each number of threads
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "data/log/tile_matrix.hpp"
#include "engine/cpu/cpu_engine.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr MixtureLayout kCopyLayout{.num_contexts = 10, .num_factors = 8, .num_experts = 5};
constexpr std::size_t kRows = 4096;
constexpr double kSeconds = 1;

// Evaluates the loss of its own rows until `stop` is set. Returns the number of evaluations.
std::size_t evaluate_until(const std::atomic<bool>& stop, std::uint64_t seed) {
  const FlushDenormals flush;
  Rng rng(seed);
  TileMatrix features(kRows, kCopyLayout.num_contexts + kCopyLayout.num_factors);
  std::vector<float> outcomes;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (int c = 0; c < features.num_columns(); ++c)
      features.at(i, c) = static_cast<float>(rng.normal());
    outcomes.push_back(rng.uniform() < 0.5 ? 0.0F : 1.0F);
  }
  std::vector<double> theta(kCopyLayout.size()), gradient(kCopyLayout.size());
  for (double& value : theta) value = 0.3 * rng.normal();
  const auto engine = make_cpu_engine(features, kCopyLayout.num_contexts, SignedWeights(outcomes),
                                      kCopyLayout.num_experts, 1);
  std::size_t evaluations = 0;
  for (; !stop; ++evaluations) engine->evaluate(theta, gradient, Precision::kSingle);
  return evaluations;
}

double evaluations_per_second(int copies) {
  std::atomic<bool> stop = false;
  std::vector<std::size_t> counts(copies);
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int c = 0; c < copies; ++c)
    threads.emplace_back([&, c] { counts[c] = evaluate_until(stop, c); });
  std::this_thread::sleep_for(std::chrono::duration<double>(kSeconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::size_t total = 0;
  for (const std::size_t count : counts) total += count;
  return static_cast<double>(total) / taken.count();
}

}  // namespace

int main(int argc, char** argv) {
  const double one = std::max(evaluations_per_second(1), evaluations_per_second(1));
  for (int i = 1; i < argc; ++i) {
    const int copies = std::atoi(argv[i]);
    fmt::print("{} {:.2f}\n", copies, evaluations_per_second(copies) / one);
  }
  return 0;
}
