#include "engine/cpu/reference_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

void expect_gradient_of_the_loss(const Problem& problem, double tolerance) {
  const LossGradient here = evaluate_plain(problem, problem.theta);
  // Central differences: the error is h² times a third derivative plus rounding / h.
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < problem.theta.size(); ++j) {
    std::vector<double> up = problem.theta, down = problem.theta;
    up[j] += kStep;
    down[j] -= kStep;
    const double difference =
        (evaluate_plain(problem, up).loss - evaluate_plain(problem, down).loss) / (2 * kStep);
    EXPECT_NEAR(here.gradient[j], difference, tolerance * problem.rows.total())
        << "parameter " << j;
  }
}

class PlainGradient : public testing::TestWithParam<std::tuple<int, Weights>> {};

TEST_P(PlainGradient, EqualsFiniteDifferencesInEveryParameter) {
  const auto [num_experts, weights] = GetParam();
  expect_gradient_of_the_loss(make_problem(150, {3, 4, num_experts}, weights), 1e-8);
}

TEST_P(PlainGradient, EqualsFiniteDifferencesForGaussianOutcomes) {
  const auto [num_experts, weights] = GetParam();
  Problem problem = make_problem(150, {3, 4, num_experts}, weights);
  expect_gradient_of_the_loss(with_family(std::move(problem), OutputFamily::kGaussian), 1e-8);
}

TEST_P(PlainGradient, EqualsFiniteDifferencesForCounts) {
  const auto [num_experts, weights] = GetParam();
  Problem problem = make_problem(150, {3, 4, num_experts}, weights);
  expect_gradient_of_the_loss(with_family(std::move(problem), OutputFamily::kPoisson), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Experts, PlainGradient,
                         testing::Combine(testing::Values(1, 2, 3, 5, 8, 11),
                                          testing::Values(Weights::kUnit, Weights::kGeneral,
                                                          Weights::kMasked)));

TEST(Plain, LossOfOneRowIsTheNegativeLogLikelihood) {
  // One context, one factor, one expert: eta = 0.5 x + 0.1 + 2 z - 1.
  TileMatrix features(1, 2);
  features.at(0, 0) = 3;
  features.at(0, 1) = 0.25;
  const std::vector<float> outcomes = {0}, weights = {2};
  const Problem problem{
      {1, 1, 1}, std::move(features), SignedWeights(outcomes, weights), {0.5, 0.1, 2, -1}};
  const double eta = 0.5 * 3 + 0.1 + 2 * 0.25 - 1;
  EXPECT_NEAR(evaluate_plain(problem, problem.theta).loss, 2 * std::log(1 + std::exp(eta)), 1e-14);
}

TEST(Plain, SinglePrecisionAgreesWithDoubleForCountsInTheMillions) {
  const Problem problem = with_family(make_problem(500, {5, 4, 3}), OutputFamily::kPoisson, 2e6);
  const LossGradient twice = evaluate_plain(problem, problem.theta, Precision::kDouble);
  const LossGradient once = evaluate_plain(problem, problem.theta, Precision::kSingle);
  EXPECT_NEAR(once.loss, twice.loss, 1e-5 * twice.loss);
  for (std::size_t j = 0; j < problem.theta.size(); ++j)
    EXPECT_NEAR(once.gradient[j], twice.gradient[j], 1e-5 * twice.loss);
}

TEST(Plain, SinglePrecisionAgreesWithDouble) {
  const Problem problem = make_problem(500, {5, 4, 3}, Weights::kGeneral);
  const LossGradient twice = evaluate_plain(problem, problem.theta, Precision::kDouble);
  const LossGradient once = evaluate_plain(problem, problem.theta, Precision::kSingle);
  EXPECT_NE(once.loss, twice.loss);
  EXPECT_NEAR(once.loss, twice.loss, 1e-6 * twice.loss);
}

}  // namespace
}  // namespace otss::test
