#include "lab/worlds/simulation.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

double mean_top_share(const Simulation& s) {
  double sum = 0;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto alpha = s.test.shares.begin() + static_cast<std::ptrdiff_t>(i) * s.num_experts;
    sum += *std::max_element(alpha, alpha + s.num_experts);
  }
  return sum / static_cast<double>(s.test.num_rows);
}

// Largest shares have a standard deviation below 0.25; four standard errors of 10,000 + 4000
// contexts.
constexpr double kTopTolerance = 4 * 0.25 * 0.0187;

TEST(SimulateMatched, MixesTheSoftTruthToItsTopShare) {
  for (const double rand : {0.0, 1.2}) {
    EXPECT_NEAR(mean_top_share(simulate_matched({.n = 100, .rand = rand, .seed = 5})), 0.55,
                kTopTolerance);
  }
}

TEST(SimulateMatched, GivesEachContextOneExpertWhenTheTruthIsHard) {
  const Simulation s = simulate_matched({.n = 100, .truth = TruthForm::kHard, .seed = 5});
  EXPECT_EQ(std::count(s.test.shares.begin(), s.test.shares.end(), 1.0), s.test.num_rows);
  EXPECT_EQ(std::count(s.test.shares.begin(), s.test.shares.end(), 0.0),
            s.test.num_rows * (s.num_experts - 1));
}

TEST(SimulateMatched, HasTheDimensionsOfPanelB) {
  const Simulation s = simulate_matched({.seed = 5});
  EXPECT_EQ(s.num_contexts, 20);
  EXPECT_EQ(s.num_factors, 8);
  EXPECT_EQ(s.num_experts, 5);
  EXPECT_EQ(s.library.size(), 50u);
  EXPECT_EQ(s.train.num_rows, 2000u);
  EXPECT_EQ(s.test.num_rows, 4000u);
}

TEST(SimulateMatched, CentresItsExpertsOnACommonTradeOff) {
  const Simulation s = simulate_matched({.n = 100, .experts = 3, .seed = 5});
  double norm = 0;
  for (int j = 0; j < s.num_factors; ++j) {
    double mean = 0;
    for (int k = 0; k < 3; ++k) mean += s.experts[k * s.num_factors + j] / 3;
    norm += mean * mean;
  }
  EXPECT_NEAR(std::sqrt(norm), 0.4, 1e-12);
}

TEST(SimulateExperts, MeetsTheTopShareItIsAskedFor) {
  for (const double top : {0.5, 0.7, 0.9}) {
    const Simulation s = simulate_experts({.n = 100, .experts = 5, .top = top, .seed = 8});
    EXPECT_NEAR(mean_top_share(s), top, kTopTolerance);
  }
}

TEST(SimulateExperts, RefusesATopShareThatNoGateHas) {
  EXPECT_THROW(simulate_experts({.n = 100, .experts = 4, .top = 0.25}), Error);
  EXPECT_THROW(simulate_experts({.n = 100, .experts = 4, .top = 1}), Error);
}

TEST(SimulateExperts, DrawsSparseExpertsOfOneNorm) {
  const Simulation s = simulate_experts({.n = 100, .seed = 8});
  for (int k = 0; k < s.num_experts; ++k) {
    double norm = 0;
    int nonzeros = 0;
    for (int j = 0; j < s.num_factors; ++j) {
      const double beta = s.experts[k * s.num_factors + j];
      norm += beta * beta;
      nonzeros += beta != 0;
    }
    EXPECT_NEAR(std::sqrt(norm), 2.5, 1e-12);
    EXPECT_EQ(nonzeros, 3);
  }
}

template <class Simulate>
void expect_same_world_for_any_n(const Simulate& simulate) {
  const Simulation few = simulate(50);
  const Simulation many = simulate(200);
  EXPECT_EQ(few.experts, many.experts);
  EXPECT_TRUE(std::ranges::equal(few.library.factors(), many.library.factors()));
  EXPECT_EQ(few.test.weights, many.test.weights);
  EXPECT_EQ(few.test.outcomes, many.test.outcomes);
  EXPECT_TRUE(std::equal(few.train.contexts.begin(), few.train.contexts.end(),
                         many.train.contexts.begin()));
  EXPECT_EQ(few.train.outcomes, simulate(50).train.outcomes);
}

TEST(Simulation, IsTheSameWorldForAnyNumberOfRowsAndTheSameBitsForTheSameSeed) {
  expect_same_world_for_any_n([](int n) { return simulate_overlap({.n = n, .seed = 3}); });
  expect_same_world_for_any_n([](int n) { return simulate_pooled({.n = n, .seed = 3}); });
  expect_same_world_for_any_n([](int n) { return simulate_matched({.n = n, .seed = 3}); });
  expect_same_world_for_any_n([](int n) { return simulate_experts({.n = n, .seed = 3}); });
}

double correlation(const Simulation& s, int a, int b) {
  double aa = 0, bb = 0, ab = 0, sum_a = 0, sum_b = 0;
  const auto n = static_cast<double>(s.train.num_rows);
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    const double x = s.train.contexts[i * s.num_contexts + a];
    const double y = s.train.contexts[i * s.num_contexts + b];
    sum_a += x / n, sum_b += y / n, aa += x * x / n, bb += y * y / n, ab += x * y / n;
  }
  return (ab - sum_a * sum_b) / std::sqrt((aa - sum_a * sum_a) * (bb - sum_b * sum_b));
}

TEST(SimulateIrrelevant, IsPanelAWithPanelAsColumns) {
  const Simulation panel = simulate_overlap({.n = 100, .seed = 7});
  const Simulation same = simulate_irrelevant({.n = 100, .seed = 7}, {});
  EXPECT_EQ(same.train.contexts, panel.train.contexts);
  EXPECT_EQ(same.train.outcomes, panel.train.outcomes);
}

TEST(SimulateIrrelevant, HasTheColumnsItIsAskedFor) {
  const Simulation none = simulate_irrelevant({.n = 50, .seed = 7}, {.count = 0});
  EXPECT_EQ(none.num_contexts, 5);
  const Simulation s = simulate_irrelevant({.seed = 7}, {.count = 7, .correlation = 0.6});
  EXPECT_EQ(s.num_contexts, 12);
  EXPECT_EQ(s.experts, none.experts);
  // Four standard errors of a correlation over 5,000 rows.
  EXPECT_NEAR(correlation(s, 5, 0), 0.6, 4 * 0.64 / std::sqrt(5000));
  EXPECT_NEAR(correlation(s, 11, 1), 0.6, 4 * 0.64 / std::sqrt(5000));
  EXPECT_NEAR(correlation(s, 5, 1), 0, 4 / std::sqrt(5000));
}

TEST(SimulateIrrelevant, HasLongTailsOnRawScales) {
  const Simulation s = simulate_irrelevant({.seed = 7}, {.scale = 1, .log_deviation = 1});
  int above = 0;
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    EXPECT_GT(s.train.contexts[i * s.num_contexts + 5], 0);
    above += s.train.contexts[i * s.num_contexts + 5] > std::exp(1) ? 1 : 0;
  }
  // P(x > 1) = 0.1587 for a standard normal x; four standard errors are 103.
  EXPECT_NEAR(above, 793, 103);
}

TEST(Simulation, IsAnotherWorldForAnotherSeed) {
  EXPECT_NE(simulate_matched({.n = 50, .seed = 3}).experts,
            simulate_matched({.n = 50, .seed = 4}).experts);
}

TEST(Simulation, WritesTheIdsOfItsDecisions) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "simulation_test";
  write_simulation(simulate_matched({.n = 50, .seed = 3}), folder.string());
  std::ifstream library(folder / "library.csv");
  std::string line;
  std::getline(library, line);
  for (int d = 1; d <= 50; ++d) {
    ASSERT_TRUE(std::getline(library, line));
    EXPECT_EQ(line.substr(0, line.find(',')), fmt::format("d{}", d));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace otss
