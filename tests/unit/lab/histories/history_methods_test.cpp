#include "lab/histories/history_methods.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/histories/panel_rows.hpp"
#include "lab/histories/ridge_logistic.hpp"
#include "lab/worlds/truth.hpp"

namespace otss {
namespace {

using namespace internal;

RidgeLogistic small_problem() {
  RidgeLogistic problem{Eigen::MatrixXd(2, 6), Eigen::VectorXd(6), Eigen::VectorXd(6),
                        Eigen::VectorXd(6), 0.7};
  problem.rows << 1, 1, 1, 1, 1, 1, 0.3, -1.2, 0.8, 2, -0.4, 0.1;
  problem.outcomes << 1, 0, 0, 1, 1, 0;
  problem.offsets << 0.2, 0, -0.5, 0.1, 1, 0;
  problem.weights << 1, 2, 0.5, 1, 1, 3;
  return problem;
}

TEST(RidgeLogistic, StopsWhereTheGradientVanishes) {
  const RidgeLogistic problem = small_problem();
  const Eigen::VectorXd c = problem.fit(Eigen::VectorXd::Zero(2));
  for (int j = 0; j < 2; ++j) {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(2);
    step[j] = 1e-4;
    const double slope = (problem.objective(c + step) - problem.objective(c - step)) / 2e-4;
    EXPECT_NEAR(slope, 0, 1e-4);
    EXPECT_GT(problem.objective(c + step), problem.objective(c));
  }
}

TEST(RidgeLogistic, IsFiniteInSeparableRows) {
  RidgeLogistic problem = small_problem();
  problem.outcomes.setOnes();
  EXPECT_TRUE(problem.fit(Eigen::VectorXd::Zero(2)).allFinite());
}

TEST(PanelRows, HoldsOutTheLastRowOfEachUnitWithTwoOrMore) {
  const PanelTrial trial = simulate_panel_trial({.units = 40, .rows = 3, .seed = 1}, 1, 1);
  const auto all = rows_of_units(trial.simulation.train);
  const WithinUnits parts = hold_out_last_rows(trial.simulation.train);
  for (std::size_t unit = 0; unit < all.size(); ++unit) {
    ASSERT_FALSE(parts.fitted[unit].empty());
    EXPECT_EQ(parts.fitted[unit].size() + parts.held_out[unit].size(), all[unit].size());
    if (all[unit].size() < 2) continue;
    ASSERT_EQ(parts.held_out[unit].size(), 1u);
    EXPECT_GT(parts.held_out[unit].front(), parts.fitted[unit].back());
  }
}

class HistoryMethods : public testing::Test {
 protected:
  static double weight_error(const PanelTrial& trial, const HistoryMethod& method,
                             std::size_t rows) {
    return score_test_weights(trial.simulation, method.weights(rows)).weight_mse;
  }
  // One trade-off for every context, so that linear weights and unit models have the right form.
  const PanelTrial trial_ =
      simulate_panel_trial({.units = 300, .rows = 10, .experts = 1, .seed = 6}, 150, 40);
};

TEST_F(HistoryMethods, LearnFromTheRowsOfANewUnit) {
  for (const auto& fit : {fit_unit_models, fit_unit_columns, fit_unit_classes}) {
    const HistoryMethod method = fit(trial_);
    const double none = weight_error(trial_, method, 0);
    const double many = weight_error(trial_, method, 40);
    EXPECT_LT(many, none) << method.name;
    // Without a history the error is that of the deviations, J · spread² = 2.16, and a little more.
    EXPECT_GT(none, 0.8 * 2.16) << method.name;
    EXPECT_LT(none, 1.6 * 2.16) << method.name;
  }
}

TEST_F(HistoryMethods, ShrinkUnitColumnsTowardsTheWeightsThatAllUnitsShare) {
  const HistoryMethod columns = fit_unit_columns(trial_);
  const HistoryMethod models = fit_unit_models(trial_);
  EXPECT_LT(weight_error(trial_, columns, 2), weight_error(trial_, models, 2));
  EXPECT_LT(weight_error(trial_, columns, 40), 0.65 * weight_error(trial_, columns, 0));
}

TEST(UnitClasses, FindTheClassesOfUnitsFromTheirRows) {
  // Two trade-offs and no deviations. The classes are those of the contexts, so new units without a
  // history already have much smaller errors than one trade-off for everybody.
  const PanelTrial trial =
      simulate_panel_trial({.units = 400, .rows = 10, .spread = 0, .seed = 8}, 200, 20);
  const double classes =
      score_test_weights(trial.simulation, fit_unit_classes(trial).weights(0)).weight_mse;
  const double pooled =
      score_test_weights(trial.simulation, fit_unit_models(trial).weights(0)).weight_mse;
  EXPECT_LT(classes, 0.75 * pooled);
}

}  // namespace
}  // namespace otss
