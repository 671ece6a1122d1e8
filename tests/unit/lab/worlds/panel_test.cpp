#include "lab/worlds/panel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>

#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

// The true weights of a row minus the mixture of the experts: the deviation u of the row's unit.
std::vector<double> deviation(const Simulation& s, const SimulatedRows& rows, std::size_t row) {
  std::vector<double> u(
      rows.weights.begin() + static_cast<std::ptrdiff_t>(row) * s.num_factors,
      rows.weights.begin() + static_cast<std::ptrdiff_t>(row + 1) * s.num_factors);
  for (int k = 0; k < s.num_experts; ++k) {
    for (int j = 0; j < s.num_factors; ++j)
      u[j] -= rows.shares[row * s.num_experts + k] * s.experts[k * s.num_factors + j];
  }
  return u;
}

std::map<std::size_t, std::size_t> rows_by_unit(const SimulatedRows& rows) {
  std::map<std::size_t, std::size_t> count;
  for (const std::size_t unit : rows.units) ++count[unit];
  return count;
}

TEST(SimulatePanel, AddsTheDeviationOfItsUnitToTheWeightsOfEveryRow) {
  const Simulation s = simulate_panel({.units = 50, .rows = 6, .seed = 4});
  std::map<std::size_t, std::vector<double>> seen;
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    const std::vector<double> u = deviation(s, s.train, i);
    const auto [of_unit, first] = seen.emplace(s.train.units[i], u);
    for (int j = 0; j < s.num_factors; ++j) EXPECT_NEAR(u[j], of_unit->second[j], 1e-12);
  }
  EXPECT_EQ(seen.size(), 50u);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto known = seen.find(s.test.units[i]);
    if (known == seen.end()) continue;
    const std::vector<double> u = deviation(s, s.test, i);
    for (int j = 0; j < s.num_factors; ++j) EXPECT_NEAR(u[j], known->second[j], 1e-12);
  }
}

TEST(SimulatePanel, DrawsDeviationsWithTheCovarianceOfItsSpecification) {
  const PanelSpec spec{.units = 20'000, .rows = 1, .spread = 0.6, .factors = 8, .seed = 9};
  const Simulation s = simulate_panel(spec);
  ASSERT_EQ(s.num_factors, 8);
  const std::vector<double> sigma = panel_covariance(spec);
  const int width = 1 + s.num_factors;
  std::vector<double> moments(sigma.size(), 0.0);
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    const std::vector<double> u = deviation(s, s.train, i);
    for (int j = 0; j < s.num_factors; ++j) {
      for (int l = 0; l < s.num_factors; ++l)
        moments[(j + 1) * width + l + 1] += u[j] * u[l] / static_cast<double>(s.train.num_rows);
    }
  }
  for (int j = 1; j < width; ++j) {
    EXPECT_NEAR(sigma[j * width + j], 0.36, 1e-12);
    for (int l = 1; l < width; ++l) {
      // The standard error of a mean of products of two normal numbers.
      const double error = std::sqrt((sigma[j * width + j] * sigma[l * width + l] +
                                      sigma[j * width + l] * sigma[j * width + l]) /
                                     static_cast<double>(s.train.num_rows));
      EXPECT_NEAR(moments[j * width + l], sigma[j * width + l], 4.5 * error);
    }
  }
}

TEST(SimulatePanel, HasAnInterceptForEachUnit) {
  // Deviations this large decide every outcome: y = 1 if v + u'z > 0. Without v the outcome would
  // be 1 exactly where u'z > 0.
  const Simulation s = simulate_panel({.units = 500, .rows = 4, .spread = 1e4, .seed = 2});
  double other = 0;
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    const std::vector<double> u = deviation(s, s.train, i);
    const auto z = s.logged_factors(s.train, i);
    const bool above = std::inner_product(u.begin(), u.end(), z.begin(), 0.0) > 0;
    if (above != (s.train.outcomes[i] == 1)) ++other;
  }
  EXPECT_GT(other / static_cast<double>(s.train.num_rows), 0.1);
  EXPECT_LT(other / static_cast<double>(s.train.num_rows), 0.35);
}

TEST(SimulatePanel, DrawsUnbalancedHistoriesOfTheMeanLengthItIsAskedFor) {
  const Simulation s = simulate_panel({.units = 4000, .rows = 10, .seed = 3});
  const auto count = rows_by_unit(s.train);
  EXPECT_EQ(count.size(), 4000u);
  // A geometric number with the mean 10 has the standard deviation sqrt(90).
  EXPECT_NEAR(static_cast<double>(s.train.num_rows) / 4000, 10, 4 * std::sqrt(90.0 / 4000));
  const auto at_most = [&](std::size_t rows) {
    return std::ranges::count_if(count, [&](const auto& unit) { return unit.second <= rows; });
  };
  EXPECT_GT(at_most(3), 800);
  EXPECT_LT(at_most(25), 3900);
}

TEST(SimulatePanel, HasNoDeviationsWithoutSpreadAndOneTradeOffWithOneExpert) {
  const Simulation s =
      simulate_panel({.units = 20, .rows = 3, .spread = 0, .experts = 1, .seed = 3});
  for (std::size_t i = 0; i < s.test.weights.size(); ++i)
    EXPECT_DOUBLE_EQ(s.test.weights[i], s.experts[i % s.num_factors]);
}

TEST(SimulatePanel, TestsKnownAndNewUnitsLaterThanTheLog) {
  const Simulation s = simulate_panel({.units = 300, .rows = 3, .seed = 3});
  std::size_t known = 0;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    known += s.test.units[i] < 300;
    EXPECT_GT(s.test.times[i], s.train.times.back());
  }
  EXPECT_EQ(known, 2000u);
  EXPECT_EQ(s.test.num_rows - known, 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(s.train.times));
}

TEST(SimulatePanel, KeepsAUnitsOwnContextsInAllOfItsRows) {
  const Simulation s = simulate_panel({.units = 30, .rows = 5, .seed = 3});
  std::map<std::size_t, std::set<double>> first, last;
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    first[s.train.units[i]].insert(s.train.contexts[i * s.num_contexts]);
    last[s.train.units[i]].insert(s.train.contexts[(i + 1) * s.num_contexts - 1]);
  }
  for (const auto& [unit, count] : rows_by_unit(s.train)) {
    EXPECT_EQ(first[unit].size(), 1u);
    EXPECT_EQ(last[unit].size(), count);
  }
}

TEST(SimulatePanel, IsTheSameWorldForAnyNumberOfUnitsAndRows) {
  const Simulation few = simulate_panel({.units = 20, .rows = 3, .seed = 3});
  const Simulation many = simulate_panel({.units = 90, .rows = 7, .seed = 3});
  EXPECT_EQ(few.experts, many.experts);
  EXPECT_TRUE(std::ranges::equal(few.library.factors(), many.library.factors()));
  EXPECT_EQ(few.spec["covariance"], many.spec["covariance"]);
  EXPECT_EQ(few.train.outcomes, simulate_panel({.units = 20, .rows = 3, .seed = 3}).train.outcomes);
  EXPECT_NE(few.experts, simulate_panel({.units = 20, .rows = 3, .seed = 4}).experts);
}

TEST(SimulatePanel, RefusesALogThatIsTooLarge) {
  EXPECT_THROW(simulate_panel({.units = 10'000'000, .rows = 1000}), Error);
}

TEST(SimulatePanel, WritesUnitsAndTimes) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "panel_test";
  write_simulation(PanelSpec{.units = 20, .rows = 3, .seed = 3}, folder.string());
  const auto header = [&](const char* name) {
    std::ifstream file(folder / name);
    std::string line;
    std::getline(file, line);
    return line;
  };
  EXPECT_TRUE(header("log.csv").starts_with("unit,time,x1,"));
  EXPECT_TRUE(header("test.csv").starts_with("unit,time,x1,"));
  EXPECT_EQ(header("contexts.csv"), "unit,time,x1,x2,x3,x4,x5,x6");
  EXPECT_EQ(header("truth.csv"), "unit,w_z1,w_z2,w_z3,w_z4,w_z5,w_z6");
  std::filesystem::remove_all(folder);
}

TEST(PanelTrial, GivesEachNewUnitTheSameNumberOfEarlierRows) {
  const PanelSpec spec{.units = 30, .rows = 3, .seed = 3};
  const PanelTrial trial = simulate_panel_trial(spec, 12, 4);
  const Simulation& s = trial.simulation;
  EXPECT_EQ(s.train.outcomes, simulate_panel(spec).train.outcomes);
  ASSERT_EQ(s.test.num_rows, 12u);
  ASSERT_EQ(trial.histories.num_rows, 12u * 4);
  for (std::size_t row = 0; row < trial.histories.num_rows; ++row) {
    const std::size_t unit = row / 4;
    EXPECT_EQ(trial.histories.units[row], s.test.units[unit]);
    EXPECT_LT(trial.histories.times[row], s.test.times[unit]);
    EXPECT_GE(trial.histories.units[row], 30u);
    const std::vector<double> before = deviation(s, trial.histories, row);
    const std::vector<double> after = deviation(s, s.test, unit);
    for (int j = 0; j < s.num_factors; ++j) EXPECT_NEAR(before[j], after[j], 1e-12);
  }
}

}  // namespace
}  // namespace otss
