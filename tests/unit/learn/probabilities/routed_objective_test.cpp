#include "learn/probabilities/routed_objective.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "unit/learn/gradient_check.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::Row;

constexpr MixtureLayout kLayout{2, 3, 3};
const Penalty kPenalty{
    .gate = 3, .gate_intercept = 0.7, .expert = 2, .center = 0.4, .baseline = 1.3};

std::vector<Row> some_rows(int count) {
  Rng rng(5);
  std::vector<Row> rows(count);
  for (Row& row : rows) {
    row = {test::normals(rng, kLayout.num_contexts), test::normals(rng, kLayout.num_factors),
           rng.uniform() < 0.4, static_cast<double>(rng.below(4))};
  }
  return rows;
}

Routing routing_of(RoutingKind kind, std::size_t num_rows) {
  Routing routing{kind, {}};
  for (std::size_t i = 0; kind == RoutingKind::kFixed && i < num_rows; ++i)
    routing.expert_of_row.push_back(i % kLayout.num_experts);
  return routing;
}

std::vector<double> some_theta() {
  Rng rng(6);
  return test::normals(rng, static_cast<int>(kLayout.size()));
}

constexpr RoutingKind kKinds[] = {RoutingKind::kMixture, RoutingKind::kFixed};

TEST(RoutedObjective, GradientEqualsFiniteDifferences) {
  const Problem problem = test::problem_of(some_rows(300));
  for (const RoutingKind kind : kKinds) {
    const Routing routing = routing_of(kind, 300);
    RoutedObjective objective(problem, kLayout, routing, kPenalty, 1);
    const std::vector<double> theta = some_theta();
    std::vector<double> gradient(theta.size());
    std::vector<double> unused(theta.size());
    objective.evaluate(theta, gradient);
    const auto expected = finite_differences(
        [&](const std::vector<double>& point) { return objective.evaluate(point, unused); }, theta);
    for (std::size_t i = 0; i < theta.size(); ++i) {
      EXPECT_NEAR(gradient[i], expected[i], 1e-8)
          << "entry " << i << ", kind " << static_cast<int>(kind);
    }
  }
}

TEST(RoutedObjective, CurvatureOfFixedRoutesIsTheDerivativeOfTheGradient) {
  const Problem problem = test::problem_of(some_rows(300));
  const Routing routing = routing_of(RoutingKind::kFixed, 300);
  RoutedObjective objective(problem, kLayout, routing, kPenalty, 1);
  std::vector<double> theta = some_theta();
  const Eigen::MatrixXd curvature = objective.curvature(theta);
  std::vector<double> above(theta.size());
  std::vector<double> below(theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double kept = theta[i];
    theta[i] = kept + 1e-5;
    objective.evaluate(theta, above);
    theta[i] = kept - 1e-5;
    objective.evaluate(theta, below);
    theta[i] = kept;
    for (std::size_t j = 0; j < theta.size(); ++j)
      EXPECT_NEAR(curvature(i, j), (above[j] - below[j]) / 2e-5, 1e-8);
  }
}

TEST(RoutedObjective, ReadingsAgreeWhereTheGateDecidesAlone) {
  // Intercepts so far apart that all rows go to the first expert.
  const Problem problem = test::problem_of(some_rows(200));
  std::vector<double> theta = some_theta();
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) theta[kLayout.gate(k) + j] = 0;
    theta[kLayout.gate(k) + 2] = k == 0 ? 400 : -400;
  }
  std::vector<double> gradient(theta.size());
  const Routing first{RoutingKind::kFixed, std::vector<std::uint16_t>(200, 0)};
  const Routing mixture{RoutingKind::kMixture, {}};
  const double fixed =
      RoutedObjective(problem, kLayout, first, kPenalty, 1).evaluate(theta, gradient);
  EXPECT_NEAR(RoutedObjective(problem, kLayout, mixture, kPenalty, 1).evaluate(theta, gradient),
              fixed, 1e-9);
}

TEST(RoutedObjective, IsTheSameToTheBitForAnyNumberOfThreads) {
  const Problem problem = test::problem_of(some_rows(3000));
  const std::vector<double> theta = some_theta();
  const Routing routing;
  std::vector<double> one(theta.size());
  std::vector<double> three(theta.size());
  EXPECT_EQ(RoutedObjective(problem, kLayout, routing, kPenalty, 1).evaluate(theta, one),
            RoutedObjective(problem, kLayout, routing, kPenalty, 3).evaluate(theta, three));
  EXPECT_EQ(one, three);
}

TEST(RoutedObjective, CountsAWeightedRowAsThatManyRows) {
  const std::vector<Row> weighted = some_rows(300);
  std::vector<Row> repeated;
  for (const Row& row : weighted) {
    for (int copy = 0; copy < row.weight; ++copy)
      repeated.push_back({row.x, row.z, row.outcome, 1});
  }
  const Problem few = test::problem_of(weighted);
  const Problem many = test::problem_of(repeated);
  const std::vector<double> theta = some_theta();
  const Routing routing;
  std::vector<double> gradient(theta.size());
  EXPECT_NEAR(RoutedObjective(few, kLayout, routing, kPenalty, 1).evaluate(theta, gradient),
              RoutedObjective(many, kLayout, routing, kPenalty, 1).evaluate(theta, gradient),
              1e-12);
}

TEST(RoutedFit, NeverLetsTheLossRiseAndEndsWhereItsGradientIsZero) {
  const Problem problem = test::problem_of(some_rows(500));
  for (const RoutingKind kind : kKinds) {
    const Routing routing = routing_of(kind, 500);
    const RoutedFit fit = fit_routed(problem, routing, kPenalty, kLayout, some_theta(), {});
    for (std::size_t i = 1; i < fit.trace.size(); ++i)
      EXPECT_LE(fit.trace[i], fit.trace[i - 1] + 1e-12);
    std::vector<double> gradient(kLayout.size());
    RoutedObjective(problem, kLayout, routing, kPenalty, 1).evaluate(fit.theta, gradient);
    for (const double slope : gradient) EXPECT_NEAR(slope, 0, 1e-4) << fit.message;
  }
}

}  // namespace
}  // namespace otss
