#include "learn/posterior/learned_penalty.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "unit/learn/gradient_check.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::DoubleNear;
using ::testing::Pointwise;

double value(const MixtureLayout& layout, const std::vector<double>& theta) {
  std::vector<double> gradient(layout.size());
  return LearnedPenalty::standard(layout).add(layout, theta, gradient);
}

TEST(LearnedPenalty, GradientEqualsFiniteDifferences) {
  for (const int experts : {1, 2, 5}) {
    const MixtureLayout layout{4, 3, experts};
    const std::vector<double> theta = random_theta(layout, experts);
    std::vector<double> gradient(layout.size(), 0.0);
    LearnedPenalty::standard(layout).add(layout, theta, gradient);
    const auto at = [&](const std::vector<double>& point) { return value(layout, point); };
    EXPECT_THAT(gradient, Pointwise(DoubleNear(1e-7), finite_differences(at, theta)))
        << "K = " << experts;
  }
}

TEST(LearnedPenalty, OfKnownColumnStrengthsIsTheirRidge) {
  const MixtureLayout layout{2, 1, 2};
  LearnedPenalty prior = LearnedPenalty::standard(layout);
  prior.gate_columns = {GammaLaw::known(3), GammaLaw::known(5000)};
  std::vector<double> theta(layout.size(), 0.0);
  std::vector<double> gradient(layout.size(), 0.0);
  const double before = prior.add(layout, theta, gradient);
  theta[layout.gate(0)] = 0.7;
  theta[layout.gate(0) + 1] = 0.02;
  std::ranges::fill(gradient, 0.0);
  const double after = prior.add(layout, theta, gradient);
  // Two experts: the slopes about their mean are plus and minus half the difference.
  EXPECT_NEAR(after - before, 0.5 * (3 * 0.49 / 2 + 5000 * 0.0004 / 2), 1e-5);
  EXPECT_NEAR(gradient[layout.gate(0)], 3 * 0.7 / 2, 1e-5);
  EXPECT_NEAR(gradient[layout.gate(0) + 1], 5000 * 0.02 / 2, 1e-3);
}

TEST(LearnedPenalty, TypicalStrengthsAreGeometricMeansOverTheDraws) {
  const MixtureLayout layout{3, 2, 2};
  const LearnedPenalty prior = LearnedPenalty::standard(layout);
  std::vector<std::vector<double>> draws;
  double gate = 0;
  double expert = 0;
  double baseline = 0;
  for (int d = 0; d < 4; ++d) {
    draws.push_back(random_theta(layout, 7 + d));
    for (double& entry : draws.back()) entry *= d + 1;
    const Penalty one = prior.strengths(layout, draws.back());
    gate += std::log(one.gate) / 4;
    expert += std::log(one.expert) / 4;
    baseline += std::log(one.baseline) / 4;
  }
  const Penalty typical = prior.typical_strengths(layout, draws);
  EXPECT_NEAR(typical.gate, std::exp(gate), 1e-12 * typical.gate);
  EXPECT_NEAR(typical.expert, std::exp(expert), 1e-12 * typical.expert);
  EXPECT_NEAR(typical.baseline, std::exp(baseline), 1e-12 * typical.baseline);
}

TEST(LearnedPenalty, IsTheNormalPriorIntegratedOverItsStrength) {
  // One expert, two baseline slopes: the only group that differs between the two points below.
  const MixtureLayout layout{2, 1, 1};
  const GammaLaw law = LearnedPenalty::standard(layout).baseline;
  const auto log_integral = [&](double squares) {
    double sum = 0;
    constexpr double kStep = 0.01;
    for (double l = kStep / 2; l < 400; l += kStep) {
      sum += kStep * std::pow(l, law.shape - 1) * std::exp(-law.rate * l) * l *
             std::exp(-0.5 * l * squares);
    }
    return std::log(sum);
  };
  std::vector<double> near(layout.size(), 0.0);
  std::vector<double> far(layout.size(), 0.0);
  near[layout.baseline()] = 0.3;
  far[layout.baseline()] = 0.8;
  far[layout.baseline() + 1] = 0.6;
  EXPECT_NEAR(value(layout, far) - value(layout, near), log_integral(0.09) - log_integral(1), 1e-4);
}

TEST(LearnedPenalty, CurvatureTimesThetaIsTheGradient) {
  // Given the strengths the penalty is quadratic.
  const MixtureLayout layout{4, 3, 3};
  const std::vector<double> theta = random_theta(layout, 9);
  const LearnedPenalty penalty = LearnedPenalty::standard(layout);
  const auto size = static_cast<Eigen::Index>(layout.size());
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
  penalty.add_curvature(layout, theta, hessian);
  std::vector<double> gradient(layout.size(), 0.0);
  penalty.add(layout, theta, gradient);
  const Eigen::VectorXd product = hessian * Eigen::Map<const Eigen::VectorXd>(theta.data(), size);
  for (Eigen::Index i = 0; i < size; ++i) EXPECT_NEAR(product[i], gradient[i], 1e-10);
}

TEST(LearnedPenalty, DoesNotDependOnTheOrderOfTheExperts) {
  const MixtureLayout layout{3, 2, 2};
  const std::vector<double> theta = random_theta(layout, 4);
  std::vector<double> swapped = theta;
  for (int j = 0; j <= layout.num_contexts; ++j)
    swapped[layout.gate(0) + j] = -theta[layout.gate(0) + j];
  for (int j = 0; j <= layout.num_factors; ++j) {
    std::swap(swapped[layout.expert(0) + j], swapped[layout.expert(1) + j]);
  }
  EXPECT_NEAR(value(layout, swapped), value(layout, theta), 1e-12);
}

TEST(LearnedPenalty, IsStrongWhereNothingIsToBeSeen) {
  const MixtureLayout layout{4, 3, 3};
  const LearnedPenalty penalty = LearnedPenalty::standard(layout);
  const Penalty without = penalty.strengths(layout, std::vector<double>(layout.size(), 0.0));
  const Penalty with = penalty.strengths(layout, std::vector<double>(layout.size(), 1.0));
  EXPECT_GT(without.gate, with.gate);
  EXPECT_GT(without.center, with.center);
  EXPECT_GT(without.baseline, with.baseline);
}

}  // namespace
}  // namespace otss
