#include "otss/decide/decider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <tuple>

#include "otss/base/error.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

using Numbers = std::vector<double>;
using testing::HasSubstr;
using testing::ThrowsMessage;

// One expert: the weights are the same for every context.
SoftMixture constant_weights(Numbers w) {
  const int num_factors = static_cast<int>(w.size());
  return SoftMixture(LinearGate(0, Numbers{}, Numbers{0}), num_factors, std::move(w));
}

// By sorting all scores. Weights are drawn at random, so that only copies of a decision tie with
// it.
std::vector<std::size_t> ranking(const FeasibleSet& library, std::span<const double> w) {
  Numbers scores(library.size());
  for (std::size_t i = 0; i < library.size(); ++i) {
    for (std::size_t j = 0; j < w.size(); ++j) scores[i] += w[j] * library.factors_of(i)[j];
  }
  std::vector<std::size_t> order(library.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return scores[a] > scores[b]; });
  return order;
}

auto fields(const Decision& d) { return std::tuple(d.row, d.rank, d.index, d.score, d.margin); }

void expect_same(const std::vector<Decision>& a, const std::vector<Decision>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(fields(a[i]), fields(b[i])) << "decision " << i;
}

TEST(Decide, PicksTheLargestScoreAndSaysByHowMuch) {
  const FeasibleSet library = library_of(2, {1, 0, 0, 1, 1, 1});
  const auto found = decide(constant_weights({2, -0.5}), {1}, library);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(fields(found[0]), std::tuple(0u, 1, 0u, 2.0, 0.5));
}

TEST(Decide, RanksTheTopAndMeasuresMarginsAgainstTheBestOther) {
  const FeasibleSet library = library_of(1, {1, 5, 3});
  const auto found = decide(constant_weights({2}), {1}, library, {.top = 3});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(fields(found[0]), std::tuple(0u, 1, 1u, 10.0, 4.0));
  EXPECT_EQ(fields(found[1]), std::tuple(0u, 2, 2u, 6.0, -4.0));
  EXPECT_EQ(fields(found[2]), std::tuple(0u, 3, 0u, 2.0, -8.0));
}

TEST(Decide, GivesTheWholeLibraryWhenMoreIsAskedFor) {
  EXPECT_EQ(decide(constant_weights({1}), {1}, library_of(1, {1, 2}), {.top = 9}).size(), 2u);
}

TEST(Decide, HasNoMarginWithoutAnotherDecision) {
  for (const int top : {1, 2}) {
    const auto found = decide(constant_weights({1}), {1}, library_of(1, {4}), {.top = top});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].score, 4);
    EXPECT_TRUE(std::isnan(found[0].margin));
  }
}

TEST(Decide, GivesTiesToTheEarlierRowAtEveryRank) {
  const FeasibleSet library = library_of(1, {1, 3, 2, 3, 2, 3});
  const auto found = decide(constant_weights({1}), {1}, library, {.top = 6});
  std::vector<std::size_t> order;
  for (const Decision& decision : found) order.push_back(decision.index);
  EXPECT_THAT(order, testing::ElementsAre(1, 3, 5, 2, 4, 0));
  EXPECT_EQ(found[0].margin, 0);
  EXPECT_EQ(found[1].margin, 0);
  EXPECT_EQ(decide(constant_weights({1}), {1}, library)[0].index, 1u);
}

TEST(Decide, AgreesWithSortingAllScores) {
  Rng rng(5);
  for (const std::size_t size : {1, 2, 7, 8, 9, 33, 100, 500}) {
    for (const int num_factors : {1, 3, 10}) {
      const FeasibleSet library = library_with_ties(size, num_factors, rng);
      const std::size_t rows = 70;
      const Numbers w = normal_draws(rows * num_factors, rng);
      for (const std::size_t top : {1, 2, 5}) {
        const auto found = decide_with_weights(rows, w, library, {.top = static_cast<int>(top)});
        const std::size_t per_row = std::min(top, size);
        ASSERT_EQ(found.size(), rows * per_row);
        for (std::size_t row = 0; row < rows; ++row) {
          const auto order = ranking(library, std::span(w).subspan(row * num_factors, num_factors));
          for (std::size_t rank = 0; rank < per_row; ++rank) {
            EXPECT_EQ(found[row * per_row + rank].index, order[rank]);
          }
        }
      }
    }
  }
}

TEST(Decide, GivesTheBestTheSameScoreAndMarginWhateverTheTop) {
  Rng rng(6);
  const FeasibleSet library = library_of(7, normal_draws(7 * 203, rng));
  const Numbers w = normal_draws(7 * 90, rng);
  const auto best = decide_with_weights(90, w, library);
  const auto two = decide_with_weights(90, w, library, {.top = 2});
  for (std::size_t row = 0; row < 90; ++row) EXPECT_EQ(fields(best[row]), fields(two[2 * row]));
}

TEST(Decide, GivesTheSameForAnyNumberOfThreadsAndAnyChunks) {
  Rng rng(8);
  const SoftMixture map = random_mixture(4, 6, 3, rng);
  const FeasibleSet library = library_with_ties(150, 6, rng);
  const std::size_t rows = 333;
  const Numbers x = normal_draws(rows * 4, rng);
  for (const int top : {1, 3}) {
    const auto one = decide(map, {rows, x}, library, {.top = top});
    for (const int threads : {2, 7}) {
      expect_same(one, decide(map, {rows, x}, library, {.top = top, .num_threads = threads}));
    }
    const Decider decider(map, library, {.top = top});
    std::vector<Decision> joined;
    for (std::size_t first = 0; first < rows; first += 50) {
      const std::size_t count = std::min<std::size_t>(50, rows - first);
      for (Decision decision :
           decider.decide({count, std::span(x).subspan(first * 4, count * 4)})) {
        decision.row += first;
        joined.push_back(decision);
      }
    }
    expect_same(one, joined);
  }
}

TEST(Decide, TakesNoContexts) {
  EXPECT_TRUE(decide(constant_weights({1}), {0}, library_of(1, {4})).empty());
}

TEST(Decide, RefusesATopBelowOne) {
  EXPECT_THAT([] { decide(constant_weights({1}), {1}, library_of(1, {4}), {.top = 0}); },
              ThrowsMessage<Error>(HasSubstr("--top 0: give a whole number from 1 on")));
}

TEST(Decide, RefusesALibraryWithOtherFactors) {
  EXPECT_THAT(
      [] {
        decide(constant_weights({1}), {1}, library_of(2, {4, 4}));
      },
      ThrowsMessage<Error>(HasSubstr("2 factors, but the model has 1")));
}

TEST(Decide, RefusesAnEmptyLibrary) {
  EXPECT_THAT([] { decide(constant_weights({1}), {1}, library_of(1, {})); },
              ThrowsMessage<Error>(HasSubstr("no decisions")));
}

TEST(Explain, SplitsTheScoreIntoContributions) {
  Rng rng(9);
  const SoftMixture map = random_mixture(2, 3, 4, rng);
  const FeasibleSet library = library_of(3, normal_draws(3 * 20, rng));
  const Numbers x = normal_draws(2 * 5, rng);
  const auto found = decide(map, {5, x}, library, {.top = 4});
  const auto contributions = explain(map, x, found, library);
  ASSERT_EQ(contributions.size(), found.size() * 3);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Numbers w(3);
    map.weights(std::span(x).subspan(found[i].row * 2, 2), w);
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(contributions[i * 3 + j], w[j] * library.factors_of(found[i].index)[j]);
      sum += contributions[i * 3 + j];
    }
    EXPECT_NEAR(sum, found[i].score, 1e-13);
  }
}

}  // namespace
}  // namespace otss
