// Speed of weights and decisions of a fitted model, on one core. Every result is verified before
// time is measured.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/isa.hpp"
#include "base/random.hpp"
#include "decide/library_search.hpp"
#include "model/maps/soft_mixture.hpp"
#include "otss/decide/decider.hpp"
#include "timing.hpp"

namespace {

using namespace otss;
using namespace otss::internal;
using bench::best_seconds;
using Numbers = std::vector<double>;

constexpr int kContexts = 20;  // p
constexpr int kFactors = 10;   // J
constexpr int kExperts = 5;    // K

Numbers draws(std::size_t count, double scale, Rng& rng) {
  Numbers result(count);
  for (double& value : result) value = scale * rng.normal();
  return result;
}

FeasibleSet random_library(std::size_t size, Rng& rng) {
  return FeasibleSet::of_library({}, kFactors, draws(size * kFactors, 1, rng));
}

void require(bool holds, std::string_view claim) {
  if (holds) return;
  fmt::print(stderr, "wrong answer: {}\n", claim);
  std::exit(1);
}

void print_row(std::string_view what, const std::string& measured, std::string_view bar, bool met) {
  fmt::print("| {:<52} | {:>20} | {:>12} | {:<6} |\n", what, measured, bar, met ? "met" : "missed");
}

void verify_weights(const SoftMixture& map, const Numbers& x, const Numbers& w) {
  Numbers alpha(kExperts), alone(kFactors);
  for (std::size_t row = 0; row < w.size() / kFactors; ++row) {
    const auto context = std::span(x).subspan(row * kContexts, kContexts);
    map.shares(context, alpha);
    map.weights(context, alone);
    for (int j = 0; j < kFactors; ++j) {
      double expected = 0;
      for (int k = 0; k < kExperts; ++k) expected += alpha[k] * map.expert(k)[j];
      require(std::abs(w[row * kFactors + j] - expected) < 1e-14,
              "w = sum of shares times experts");
      require(w[row * kFactors + j] == alone[j], "a batch is bitwise equal to single calls");
    }
  }
}

void time_weights(const SoftMixture& map, Rng& rng) {
  constexpr std::size_t kRows = 1024;
  const Numbers x = draws(kRows * kContexts, 1, rng);
  Numbers w(kRows * kFactors);
  map.weights(kRows, x, w);
  verify_weights(map, x, w);
  const double one = best_seconds([&] {
    for (std::size_t row = 0; row < kRows; ++row) {
      map.weights(std::span(x).subspan(row * kContexts, kContexts),
                  std::span(w).subspan(row * kFactors, kFactors));
    }
  });
  const double batch = best_seconds([&] { map.weights(kRows, x, w); });
  print_row("weights, one call", fmt::format("{:.0f} ns", one / kRows * 1e9), "<= 150 ns",
            one / kRows <= 150e-9);
  print_row("weights, batched", fmt::format("{:.1f} M contexts/s", kRows / batch * 1e-6),
            ">= 50 M/s", kRows / batch >= 50e6);
}

void verify_argmax(const Numbers& w, const FeasibleSet& library,
                   const std::vector<Decision>& found) {
  for (const Decision& decision : found) {
    const auto weights = std::span(w).subspan(decision.row * kFactors, kFactors);
    for (std::size_t i = 0; i < library.size(); ++i) {
      double score = 0;
      for (int j = 0; j < kFactors; ++j) score += weights[j] * library.factors_of(i)[j];
      require(score <= decision.score + 1e-12, "no decision scores higher than the chosen one");
      require(i == decision.index || score <= decision.score - decision.margin + 1e-12,
              "every other decision scores lower by at least the margin");
    }
  }
}

void time_argmax(Rng& rng) {
  constexpr std::size_t kRows = 1024;
  const FeasibleSet library = random_library(1000, rng);
  const Numbers w = draws(kRows * kFactors, 1, rng);
  const auto print = [](std::string_view what, double contexts_per_second) {
    print_row(what, fmt::format("{:.2f} M contexts/s", contexts_per_second * 1e-6), ">= 2 M/s",
              contexts_per_second >= 2e6);
  };
  verify_argmax(w, library, decide_with_weights(kRows, w, library));
  print("argmax M=1000, 1024 contexts with packing and output",
        kRows / best_seconds([&] { decide_with_weights(kRows, w, library); }));

  std::vector<std::size_t> all(library.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const LibrarySearch search(library, all);
  std::vector<Decision> found(kMaxContexts);
  search.search(0, kMaxContexts, w.data(), found);
  verify_argmax(w, library, found);
  print("argmax M=1000, a packed library, blocks of 64",
        kMaxContexts / best_seconds([&] { search.search(0, kMaxContexts, w.data(), found); }));
}

void time_pruning(const SoftMixture& map, std::size_t size, Rng& rng) {
  const std::size_t rows = 256;
  const FeasibleSet library = random_library(size, rng);
  const Numbers x = draws(rows * kContexts, 1, rng);
  const Decider pruned(map, library);
  const Decider whole(map, library, {.prune = false});
  const auto expected = whole.decide({rows, x});
  const auto found = pruned.decide({rows, x});
  for (std::size_t i = 0; i < rows; ++i) {
    require(found[i].index == expected[i].index && found[i].margin == expected[i].margin,
            "pruning changes no decision");
  }
  const double preparation = best_seconds([&] { const Decider decider(map, library); }, 0.2);
  const double packing =
      best_seconds([&] { const Decider decider(map, library, {.prune = false}); }, 0.2);
  const double whole_each = best_seconds([&] { whole.decide({rows, x}); }, 0.2) / rows;
  const double pruned_each = best_seconds([&] { pruned.decide({rows, x}); }, 0.2) / rows;
  print_row(fmt::format("M={}: {} live; whole {:.2f} us, pruned", size, pruned.num_live(),
                        whole_each * 1e6),
            fmt::format("{:.2f} us", pruned_each * 1e6), "< whole", pruned_each < whole_each);
  fmt::print("|   pruning takes {:.2f} ms and pays after {:.0f} contexts\n",
             (preparation - packing) * 1e3, (preparation - packing) / (whole_each - pruned_each));
}

}  // namespace

int main() {
  Rng rng(1);
  const SoftMixture map(
      LinearGate(kContexts, draws(kContexts * kExperts, 0.3, rng), draws(kExperts, 1, rng)),
      kFactors, draws(kFactors * kExperts, 1, rng));
  fmt::print("p={}, J={}, K={}, one core, {}\n", kContexts, kFactors, kExperts,
             isa_name(active_isa()));
  fmt::print("| {:<52} | {:>20} | {:>12} | {:<6} |\n", "what", "measured", "bar", "");
  time_weights(map, rng);
  time_argmax(rng);
  for (const std::size_t size : {1000, 10000, 100000}) time_pruning(map, size, rng);
}
