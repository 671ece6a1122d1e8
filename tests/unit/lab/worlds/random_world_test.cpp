#include "lab/worlds/random_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "lab/worlds/world.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(RandomWorlds, AreMixturesBehindALinearGateInThreeOfTenSeeds) {
  std::map<WorldTruth, int> count;
  for (std::uint64_t seed = 7000; seed < 7020; ++seed) ++count[draw_world_spec(seed).truth];
  EXPECT_EQ(count[WorldTruth::kMixture], 6);
  for (const auto& [truth, name] : word_table(WorldTruth{})) {
    if (truth != WorldTruth::kMixture) {
      EXPECT_EQ(count[truth], 2) << name;
    }
  }
}

TEST(RandomWorlds, HaveSizesInTheirRanges) {
  for (std::uint64_t seed = 7000; seed < 7300; ++seed) {
    const RandomWorldSpec spec = draw_world_spec(seed);
    EXPECT_TRUE(500 <= spec.rows && spec.rows <= 5000);
    EXPECT_TRUE(2 <= spec.contexts && spec.contexts <= 15);
    EXPECT_TRUE(1 <= spec.relevant && spec.relevant <= spec.contexts);
    EXPECT_TRUE(2 <= spec.factors && spec.factors <= 10);
    EXPECT_TRUE(5 <= spec.library && spec.library <= 100);
    EXPECT_TRUE(1.0 / spec.experts < spec.top && spec.top < 1);
  }
}

// The weights of a world, as rows.
std::vector<std::vector<double>> weight_rows(const Simulation& s) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto w = s.test.weights.begin() + static_cast<std::ptrdiff_t>(i * s.num_factors);
    rows.emplace_back(w, w + s.num_factors);
  }
  return rows;
}

std::uint64_t seed_with(WorldTruth truth) {
  std::uint64_t seed = 7000;
  while (draw_world_spec(seed).truth != truth) ++seed;
  return seed;
}

TEST(RandomWorlds, HaveTheTruthThatTheirSpecificationNames) {
  const auto distinct = [](WorldTruth truth) {
    auto rows = weight_rows(simulate_random_world(seed_with(truth)));
    std::ranges::sort(rows);
    return std::unique(rows.begin(), rows.end()) - rows.begin();
  };
  EXPECT_EQ(distinct(WorldTruth::kPooled), 1);
  const int leaves = draw_world_spec(seed_with(WorldTruth::kRegions)).experts;
  EXPECT_LE(distinct(WorldTruth::kRegions), leaves);
  EXPECT_GE(distinct(WorldTruth::kRegions), 2);
  EXPECT_LE(distinct(WorldTruth::kOneExpert),
            draw_world_spec(seed_with(WorldTruth::kOneExpert)).experts);
  for (const WorldTruth truth : {WorldTruth::kMixture, WorldTruth::kSmoothGate,
                                 WorldTruth::kQuadraticGate, WorldTruth::kLinear}) {
    EXPECT_GT(distinct(truth), 1900) << word(truth);
  }
}

TEST(RandomWorlds, WithALinearTruthHaveWeightsThatAreLinearInTheContext) {
  for (const WorldTruth truth : {WorldTruth::kLinear, WorldTruth::kLowRank}) {
    const std::uint64_t seed = seed_with(truth);
    const Simulation s = simulate_random_world(seed);
    // w(a) + w(b) = w(a + b) + w(0): three contexts whose third is the sum of two others would be
    // needed. The mean over many contexts has the mean weights too, and the mean context is near 0.
    const auto rows = weight_rows(s);
    std::vector<double> mean_x(s.num_contexts, 0.0), mean_w(s.num_factors, 0.0);
    double squares = 0;
    for (std::size_t i = 0; i < s.test.num_rows; ++i) {
      for (int j = 0; j < s.num_factors; ++j) {
        const double difference = rows[i][j] - s.experts[j];
        mean_w[j] += difference / static_cast<double>(s.test.num_rows);
        squares += difference * difference / static_cast<double>(s.test.num_rows);
      }
    }
    const double spread = draw_world_spec(seed).spread;
    // The correlation of the columns can change the variance by a factor of up to 1 + 15 · 0.6.
    EXPECT_GT(squares, spread * spread / 10) << word(truth);
    EXPECT_LT(squares, spread * spread * 10) << word(truth);
    for (const double mean : mean_w)
      EXPECT_NEAR(mean, 0, 5 * std::sqrt(squares / static_cast<double>(s.test.num_rows)));
  }
}

TEST(RandomWorlds, LogDecisionsByTheirPolicy) {
  for (std::uint64_t seed = 7000; seed < 7012; ++seed) {
    const RandomWorldSpec spec = draw_world_spec(seed);
    const Simulation s = simulate_random_world(seed);
    ASSERT_EQ(s.train.num_rows, static_cast<std::size_t>(spec.rows));
    // The inverse propensities of the logged decisions have the mean M, by definition.
    double inverse = 0;
    for (const double propensity : s.train.propensities)
      inverse += 1 / propensity / static_cast<double>(spec.rows);
    const auto [least, most] = std::ranges::minmax(s.train.propensities);
    if (spec.logging == LoggingPolicy::kUniform) {
      EXPECT_EQ(least, most);
      EXPECT_NEAR(inverse, static_cast<double>(spec.library), 1e-9);
    } else {
      EXPECT_LT(least, most);
      EXPECT_NEAR(inverse / static_cast<double>(spec.library), 1, 0.5);
    }
  }
}

TEST(DrawByScores, ChoosesInProportionToTheExponentialOfTheScore) {
  Rng rng(7);
  const std::vector<double> scores = {0, std::log(2.0), std::log(5.0)};
  std::vector<int> count(3);
  for (int i = 0; i < 8000; ++i) {
    const LoggedDecision logged = draw_by_scores(scores, rng);
    ++count[logged.decision];
    EXPECT_NEAR(logged.propensity, std::exp(scores[logged.decision]) / 8, 1e-12);
  }
  // Four standard errors of a count, at most 4 √(8000 / 4) = 179.
  EXPECT_NEAR(count[0], 1000, 179);
  EXPECT_NEAR(count[1], 2000, 179);
  EXPECT_NEAR(count[2], 5000, 179);
}

}  // namespace
}  // namespace otss
