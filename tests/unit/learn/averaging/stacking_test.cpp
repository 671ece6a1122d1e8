#include "learn/averaging/stacking.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "unit/learn/gradient_check.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::Row;

constexpr int kRows = 400;
const std::vector<std::size_t> kAll = {0, 1, 2};
bool every_row(std::size_t) { return true; }

Problem some_problem() { return test::problem_of(test::two_trade_offs(kRows, 0.3, 3)); }

// Three candidates' predictions of the rows; the first are those of the truth.
HeldOut some_predictions(const Problem& problem) {
  Rng rng(4);
  HeldOut held_out;
  held_out.eta.resize(3, std::vector<double>(problem.num_rows()));
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    const auto feature = [&](int j) { return problem.features->at(i, j); };
    const double score = 2 * feature(2) - feature(3);
    held_out.eta[0][i] = 0.5 * feature(1) + score * std::tanh(3 * feature(0));
    held_out.eta[1][i] = 0.5 * feature(1);
    held_out.eta[2][i] = rng.normal();
  }
  return held_out;
}

void expect_gradient(Objective& objective, const std::vector<double>& point) {
  std::vector<double> gradient(objective.size());
  objective.evaluate(point, gradient);
  const auto value = [&](const std::vector<double>& x) {
    std::vector<double> ignored(x.size());
    return objective.evaluate(x, ignored);
  };
  const std::vector<double> slopes = finite_differences(value, point);
  for (std::size_t i = 0; i < slopes.size(); ++i)
    EXPECT_NEAR(gradient[i], slopes[i], 1e-8 + 1e-6 * std::abs(slopes[i])) << i;
}

TEST(StackingObjective, HasTheGradientOfItsValue) {
  const Problem problem = some_problem();
  HeldOut held_out = some_predictions(problem);
  for (const double rows : {0.0, 1.0, 50.0}) {
    for (const std::vector<double>& towards :
         {std::vector<double>{}, std::vector<double>{3, 1, 0.5}}) {
      held_out.pull = {rows, towards};
      const auto objective = stacking_objective(problem, held_out, kAll, every_row);
      expect_gradient(*objective, {0, 0, 0});
      expect_gradient(*objective, {1.5, -0.7, 0.2});
      expect_gradient(*objective, {-2, 1, 3});
    }
  }
}

TEST(StackingObjective, HasTheGradientOfItsValueForEveryFamily) {
  for (const OutputFamily family : {OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    Problem problem = some_problem();
    std::vector<float> outcomes(kRows);
    Rng rng(5);
    for (float& y : outcomes) y = static_cast<float>(rng.below(5));
    problem.outcomes = Outcomes(family, outcomes);
    const auto objective = stacking_objective(problem, some_predictions(problem), kAll, every_row);
    expect_gradient(*objective, {0.3, -0.4, 1});
  }
}

TEST(StackingObjective, HasTheGradientOfItsValueForProbabilities) {
  const Problem problem = some_problem();
  HeldOut held_out = some_predictions(problem);
  held_out.mixed = Mixed::kProbabilities;
  const auto objective = stacking_objective(problem, held_out, kAll, every_row);
  expect_gradient(*objective, {0, 0, 0});
  expect_gradient(*objective, {1.5, -0.7, 0.2});
}

TEST(StackedPredictors, AverageProbabilitiesOrPredictors) {
  const Problem problem = some_problem();
  HeldOut held_out = some_predictions(problem);
  const std::vector<double> weights{0.5, 0.2, 0.3};
  const auto of = [&](int c) { return held_out.eta[c][0]; };
  EXPECT_DOUBLE_EQ(stacked_predictors(held_out, kAll, weights)[0],
                   0.5 * of(0) + 0.2 * of(1) + 0.3 * of(2));
  held_out.mixed = Mixed::kProbabilities;
  EXPECT_NEAR(
      test::logistic(stacked_predictors(held_out, kAll, weights)[0]),
      0.5 * test::logistic(of(0)) + 0.2 * test::logistic(of(1)) + 0.3 * test::logistic(of(2)),
      1e-12);
}

// The mean loss of the rows under one candidate.
double mean_loss(const Problem& problem, const std::vector<double>& eta, int every) {
  double loss = 0;
  double total = 0;
  for (std::size_t i = 0; i < problem.num_rows(); i += every) {
    const double margin = problem.outcome(i) > 0 ? eta[i] : -eta[i];
    loss += problem.weight(i) * std::log1p(std::exp(-margin));
    total += problem.weight(i);
  }
  return loss / total;
}

TEST(StackingObjective, IsTheMeanLossOfTheRowsInUse) {
  const Problem problem = some_problem();
  HeldOut held_out = some_predictions(problem);
  held_out.pull.rows = 0;
  const auto objective =
      stacking_objective(problem, held_out, {1}, [](std::size_t row) { return row % 3 == 0; });
  std::vector<double> gradient(1);
  const std::vector<double> point{0.7};
  EXPECT_NEAR(objective->evaluate(point, gradient), mean_loss(problem, held_out.eta[1], 3), 1e-12);
  EXPECT_NEAR(gradient[0], 0, 1e-12);  // one candidate has weight one, whatever its parameter
}

TEST(StackWeights, AreOnTheSimplexAndPreferWhatPredictsBest) {
  const Problem problem = some_problem();
  const std::vector<double> weights =
      stack_weights(problem, some_predictions(problem), kAll, every_row);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
  for (const double weight : weights) EXPECT_GE(weight, 0);
  EXPECT_GT(weights[0], 0.7);
}

TEST(StackWeights, FollowAStrongPull) {
  const Problem problem = some_problem();
  HeldOut held_out = some_predictions(problem);
  held_out.pull = {1e9, {3, 1, 1}};
  const std::vector<double> weights = stack_weights(problem, held_out, kAll, every_row);
  EXPECT_NEAR(weights[0], 0.6, 1e-3);
  EXPECT_NEAR(weights[1], 0.2, 1e-3);
}

TEST(StackedPredictors, AreTheWeightedSum) {
  HeldOut held_out;
  held_out.eta = {{1, 2}, {10, 20}, {100, 200}};
  const std::vector<double> weights{0.25, 0.75};
  EXPECT_EQ(stacked_predictors(held_out, {2, 0}, weights), (std::vector<double>{25.75, 51.5}));
}

}  // namespace
}  // namespace otss
