#include "learn/mixture/penalty.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "unit/learn/gradient_check.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::DoubleNear;
using ::testing::Pointwise;

const Penalty kPenalty{
    .gate = 3, .gate_intercept = 0.7, .expert = 2, .center = 0.4, .baseline = 1.3};

double value(const MixtureLayout& layout, const std::vector<double>& theta) {
  std::vector<double> gradient(layout.size());
  return kPenalty.add(layout, theta, gradient);
}

TEST(Penalty, GradientEqualsFiniteDifferences) {
  for (const int experts : {1, 2, 5}) {
    const MixtureLayout layout{4, 3, experts};
    const std::vector<double> theta = random_theta(layout, experts);
    std::vector<double> gradient(layout.size(), 0.0);
    kPenalty.add(layout, theta, gradient);
    const auto at = [&](const std::vector<double>& point) { return value(layout, point); };
    EXPECT_THAT(gradient, Pointwise(DoubleNear(1e-7), finite_differences(at, theta)))
        << "K = " << experts;
  }
}

TEST(Penalty, CurvatureIsTheDerivativeOfTheGradient) {
  const MixtureLayout layout{4, 3, 3};
  const std::vector<double> theta = random_theta(layout, 9);
  const auto size = static_cast<Eigen::Index>(layout.size());
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
  kPenalty.add_curvature(layout, hessian);
  // The penalty is quadratic: gradient = H theta exactly.
  std::vector<double> gradient(layout.size(), 0.0);
  kPenalty.add(layout, theta, gradient);
  const Eigen::VectorXd product = hessian * Eigen::Map<const Eigen::VectorXd>(theta.data(), size);
  for (Eigen::Index i = 0; i < size; ++i) EXPECT_NEAR(product[i], gradient[i], 1e-12);
}

TEST(Penalty, IsMinimisedOverTheCommonCentre) {
  // sum_k l/2 |b_k - c|^2 + m/2 |c|^2 at its best c, by hand for two experts and one factor.
  const MixtureLayout layout{0, 1, 2};
  std::vector<double> theta(layout.size(), 0.0);
  theta[layout.expert(0)] = 2;
  theta[layout.expert(1)] = 1;
  const double c = kPenalty.expert * 3 / (2 * kPenalty.expert + kPenalty.center);
  const double expected = 0.5 * kPenalty.expert * ((2 - c) * (2 - c) + (1 - c) * (1 - c)) +
                          0.5 * kPenalty.center * c * c;
  EXPECT_NEAR(value(layout, theta), expected, 1e-12);
}

TEST(Penalty, DoesNotDependOnWhichExpertIsTheGatesReference) {
  const MixtureLayout layout{3, 2, 3};
  const std::vector<double> theta = random_theta(layout, 4);
  // Make expert 0 the reference: rows D_1 - D_0 and -D_0, experts permuted alike.
  std::vector<double> other = theta;
  for (int j = 0; j <= layout.num_contexts; ++j) {
    const double d0 = theta[layout.gate(0) + j];
    const double d1 = theta[layout.gate(1) + j];
    other[layout.gate(0) + j] = d1 - d0;
    other[layout.gate(1) + j] = -d0;
  }
  for (int j = 0; j <= layout.num_factors; ++j) {
    other[layout.expert(0) + j] = theta[layout.expert(1) + j];
    other[layout.expert(1) + j] = theta[layout.expert(2) + j];
    other[layout.expert(2) + j] = theta[layout.expert(0) + j];
  }
  EXPECT_NEAR(value(layout, theta), value(layout, other), 1e-12);
}

}  // namespace
}  // namespace otss
