// Computes weights and searches a library on the GPU, and checks both against the processor's.
//
//   bench_cuda_decide [contexts [decisions [threads]]]     10^6 contexts, 10^5 decisions, all cores
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "base/threads.hpp"
#include "cuda/need_gpu.hpp"
#include "decide/device/candidate_search.hpp"
#include "decide/device/gpu_weights.hpp"
#include "model/maps/soft_mixture.hpp"
#include "otss/decide/decider.hpp"

namespace {

using namespace otss;
using namespace otss::internal;

constexpr int kContextColumns = 20, kFactors = 10, kExperts = 5;
constexpr std::size_t kCheckedContexts = 20'000;
constexpr std::size_t kBlock = 1024;  // contexts that a thread of the processor works on at a time

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> draws(std::size_t count, Rng& rng) {
  std::vector<double> out(count);
  for (double& value : out) value = rng.normal();
  return out;
}

FeasibleSet make_library(std::size_t size, Rng& rng) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < size; ++i) ids.push_back(fmt::format("d{}", i));
  return FeasibleSet::of_library(std::move(ids), kFactors, draws(size * kFactors, rng));
}

bool are_same(std::span<const Decision> a, std::span<const Decision> b) {
  return std::ranges::equal(a, b, [](const Decision& x, const Decision& y) {
    return x.index == y.index && x.score == y.score && x.margin == y.margin;
  });
}

// Times the GPU's search alone, without the exact one that follows.
void time_candidates(const SoftMixture& map, const FeasibleSet& library, const Contexts& contexts,
                     int num_threads) {
  std::vector<std::size_t> all(library.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto search = make_candidate_search(Device::kCuda, library, all);
  std::vector<double> w(contexts.num_rows * kFactors);
  map.weights(contexts.num_rows, contexts.x, w);
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::atomic<std::size_t> num_open = 0;
    const double seconds = seconds_of([&] {
      search->find(w, num_threads, [&](std::size_t, const Candidates& few) {
        if (!few) ++num_open;
      });
    });
    const double products =
        static_cast<double>(contexts.num_rows) * static_cast<double>(library.size()) * kFactors;
    fmt::print(
        "candidates: {:.4f} s with copies, {:.2f} T multiply-adds a second; open: {} of {}\n",
        seconds, products / seconds / 1e12, num_open.load(), contexts.num_rows);
  }
}

// Times the weights, from and to the host's memory.
void time_weights(const SoftMixture& map, const Contexts& contexts, int num_threads) {
  const std::size_t rows = contexts.num_rows, p = kContextColumns;
  std::vector<double> w(rows * kFactors), expected(w.size());
  const auto weights = make_gpu_weights(map);
  weights->compute(rows, contexts.x, w);
  const double on_gpu = seconds_of([&] { weights->compute(rows, contexts.x, w); });
  const auto on_cpu = [&](std::size_t block) {
    const std::size_t first = block * kBlock, count = std::min(kBlock, rows - first);
    map.weights(count, contexts.x.subspan(first * p, count * p),
                std::span(expected).subspan(first * kFactors, count * kFactors));
  };
  const double seconds_on_cpu =
      seconds_of([&] { parallel_for((rows + kBlock - 1) / kBlock, num_threads, on_cpu); });
  double largest = 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    largest = std::max(largest, std::abs(w[i] - expected[i]));
  fmt::print("weights: GPU {:.4f} s with copies, CPU {:.4f} s; they differ by at most {:.1e}\n",
             on_gpu, seconds_on_cpu, largest);
}

void compare(std::size_t num_contexts, std::size_t num_decisions, int num_threads) {
  Rng rng(1);
  const SoftMixture map(
      LinearGate(kContextColumns, draws(kContextColumns * kExperts, rng), draws(kExperts, rng)),
      kFactors, draws(kFactors * kExperts, rng));
  const FeasibleSet library = make_library(num_decisions, rng);
  const std::vector<double> x = draws(num_contexts * kContextColumns, rng);
  const Contexts contexts{.num_rows = num_contexts, .x = x};
  time_weights(map, contexts, num_threads);
  time_candidates(map, library, contexts, num_threads);
  const DecideOptions on_cpu{.num_threads = num_threads, .prune = false};
  DecideOptions on_gpu = on_cpu;
  on_gpu.device = Device::kCuda;
  std::vector<Decision> found, expected;
  const Decider gpu(map, library, on_gpu), cpu(map, library, on_cpu);
  fmt::print("GPU, {} contexts: {:.3f} s\n", num_contexts,
             seconds_of([&] { found = gpu.decide(contexts); }));
  const std::size_t checked = std::min(kCheckedContexts, num_contexts);
  const Contexts few{.num_rows = checked, .x = std::span(x).first(checked * kContextColumns)};
  fmt::print("CPU, {} contexts: {:.3f} s\n", checked,
             seconds_of([&] { expected = cpu.decide(few); }));
  fmt::print("the same decisions, scores and margins: {}\n",
             are_same(std::span(found).first(checked), expected) ? "yes" : "NO");
}

}  // namespace

int main(int argc, char** argv) {
  otss::bench::need_gpu();
  const double contexts = argc > 1 ? std::atof(argv[1]) : 1e6;
  const double decisions = argc > 2 ? std::atof(argv[2]) : 1e5;
  compare(static_cast<std::size_t>(contexts), static_cast<std::size_t>(decisions),
          argc > 3 ? std::atoi(argv[3]) : hardware_threads());
}
