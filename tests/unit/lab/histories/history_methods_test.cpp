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

TEST(PanelRows, HoldsOutEachRowOnceAndLeavesOtherRowsOfItsUnit) {
  const PanelTrial trial = simulate_panel_trial({.units = 40, .rows = 3, .seed = 1}, 1, 1);
  const auto all = rows_of_units(trial.simulation.train);
  std::vector<int> held_out(trial.simulation.train.num_rows, 0);
  for (const WithinUnits& fold : folds_within_units(trial.simulation.train)) {
    for (std::size_t unit = 0; unit < all.size(); ++unit) {
      EXPECT_FALSE(fold.fitted[unit].empty());
      EXPECT_EQ(fold.fitted[unit].size() + fold.held_out[unit].size(), all[unit].size());
      for (const std::size_t row : fold.held_out[unit]) ++held_out[row];
    }
  }
  for (const UnitRowNumbers& rows : all) {
    for (const std::size_t row : rows) EXPECT_EQ(held_out[row], rows.size() > 1 ? 1 : 0);
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

TEST_F(HistoryMethods, ShrinkUnitColumnsTowardsTheWeightsThatAllUnitsShare) {
  const HistoryMethod columns = fit_unit_columns(trial_);
  const double none = weight_error(trial_, columns, 0);
  // Without a history the error is that of the deviations, J · spread² = 2.16, and a little more.
  EXPECT_GT(none, 0.8 * 2.16);
  EXPECT_LT(none, 1.6 * 2.16);
  EXPECT_LT(weight_error(trial_, columns, 10), 0.95 * none);
  EXPECT_LT(weight_error(trial_, columns, 40), 0.75 * none);
}

TEST_F(HistoryMethods, NeedManyRowsForAModelOfOneUnit) {
  const HistoryMethod models = fit_unit_models(trial_);
  EXPECT_LT(weight_error(trial_, models, 0), weight_error(trial_, models, 2));
  EXPECT_LT(weight_error(trial_, models, 40), 0.8 * weight_error(trial_, models, 2));
}

TEST(UnitClasses, FindTheClassOfAUnitFromItsContexts) {
  // Two trade-offs and no deviations: the contexts say which of them a unit has.
  const PanelTrial trial =
      simulate_panel_trial({.units = 400, .rows = 10, .spread = 0, .seed = 8}, 200, 20);
  const double classes =
      score_test_weights(trial.simulation, fit_unit_classes(trial).weights(0)).weight_mse;
  const double pooled =
      score_test_weights(trial.simulation, fit_unit_models(trial).weights(0)).weight_mse;
  EXPECT_LT(classes, 0.75 * pooled);
}

TEST(UnitClasses, FindTheClassOfAUnitFromItsRows) {
  const PanelTrial trial = simulate_panel_trial(
      {.units = 150, .rows = 10, .spread = 2, .experts = 1, .seed = 8}, 150, 20);
  const HistoryMethod classes = fit_unit_classes(trial);
  const auto regret = [&](std::size_t rows) {
    return score_test_weights(trial.simulation, classes.weights(rows)).regret;
  };
  EXPECT_LT(regret(20), 0.8 * regret(0));
}

}  // namespace
}  // namespace otss
