#include "learn/units/spread.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "base/random.hpp"

namespace otss::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_symmetric(int size, std::uint64_t seed) {
  Rng rng(seed);
  MatrixXd matrix(size, size);
  for (double& entry : matrix.reshaped()) entry = rng.normal();
  return matrix + matrix.transpose();
}

MatrixXd random_covariance(int size, std::uint64_t seed) {
  const MatrixXd root = random_symmetric(size, seed);
  return root * root / size + 0.1 * MatrixXd::Identity(size, size);
}

Spread full(const MatrixXd& covariance) {
  return simplified({DeviationForm::kFull, covariance.llt().matrixL()}, DeviationForm::kFull);
}

MatrixXd information_of(const Spread& spread, const MatrixXd& posterior) {
  MatrixXd sum = MatrixXd::Zero(num_free_entries(spread), num_free_entries(spread));
  add_information(spread, posterior, sum);
  return sum.selfadjointView<Eigen::Lower>();
}

TEST(Spread, StepWithoutDampingSolvesTheScoringEquation) {
  // Without damping, the change C of the covariance of e solves D C D = excess.
  const Spread spread = full(random_covariance(4, 1));
  const MatrixXd posterior = 0.5 * random_covariance(4, 2).diagonal().asDiagonal().toDenseMatrix() /
                             random_covariance(4, 2).diagonal().maxCoeff();
  const MatrixXd known = MatrixXd::Identity(4, 4) - posterior;
  const MatrixXd change = 0.05 * random_symmetric(4, 3);
  const Spread next =
      stepped(spread, {known * change * known, information_of(spread, posterior)}, 0);
  const MatrixXd expected =
      spread.basis * (MatrixXd::Identity(4, 4) + change) * spread.basis.transpose();
  EXPECT_LT((next.covariance() - expected).norm(), 1e-6 * expected.norm());
}

TEST(Spread, StepWithFullDampingIsThatOfExpectationMaximisation) {
  const Spread spread = full(random_covariance(3, 4));
  const MatrixXd excess = 0.1 * random_symmetric(3, 5);
  const MatrixXd posterior = 0.7 * MatrixXd::Identity(3, 3);
  const Spread next = stepped(spread, {excess, information_of(spread, posterior)}, 1);
  const MatrixXd expected =
      spread.basis * (MatrixXd::Identity(3, 3) + excess) * spread.basis.transpose();
  EXPECT_LT((next.covariance() - expected).norm(), 1e-6 * expected.norm());
}

TEST(Spread, StepChangesNoVarianceByMoreThanAFactorOfFour) {
  const Spread spread = full(MatrixXd::Identity(2, 2));
  const MatrixXd nothing_known = 0.999 * MatrixXd::Identity(2, 2);
  for (const double excess : {-0.9, 0.9}) {
    const SpreadTarget target{excess * MatrixXd::Identity(2, 2),
                              information_of(spread, nothing_known)};
    const MatrixXd covariance = stepped(spread, target, 0).covariance();
    EXPECT_GE(covariance(0, 0), 0.249);
    EXPECT_LE(covariance(0, 0), 4.001);
  }
}

TEST(Spread, OfADiagonalFormStaysDiagonal) {
  const Spread spread = first_spread(DeviationForm::kDiagonal, 2, 1);
  const MatrixXd posterior = 0.5 * MatrixXd::Identity(3, 3);
  const SpreadTarget target{0.1 * random_symmetric(3, 6), information_of(spread, posterior)};
  const MatrixXd covariance = stepped(spread, target, 0).covariance();
  EXPECT_EQ(covariance(0, 1), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(covariance(i, i), (1 + target.excess(i, i) / 0.25) / 3, 1e-9);
  }
}

TEST(Spread, OfLowRankKeepsTheLargestPrincipalDirections) {
  MatrixXd covariance = MatrixXd::Zero(4, 4);
  covariance.diagonal() << 4, 3, 0.05, 0.01;
  const Spread low = simplified(full(covariance), DeviationForm::kLowRank);
  EXPECT_EQ(low.rank(), 2);
  EXPECT_NEAR(low.covariance()(0, 0), 4, 1e-5);
  EXPECT_NEAR(low.covariance()(2, 2), 0, 1e-5);
  EXPECT_EQ(simplified(full(covariance), DeviationForm::kIntercept).rank(), 1);
  EXPECT_EQ(simplified(full(covariance), DeviationForm::kNone).rank(), 0);
}

TEST(Spread, PriorIsZeroWithoutCorrelationsAndItsSlopeMatchesFiniteDifferences) {
  const MatrixXd covariance = random_covariance(3, 7);
  EXPECT_NEAR(log_prior(full(covariance.diagonal().asDiagonal())), 0, 1e-6);
  const Spread spread = full(covariance);
  EXPECT_LT(log_prior(spread), 0);
  // A change C of the covariance of e changes the prior by trace(prior_excess C) / 2.
  const MatrixXd change = random_symmetric(3, 8);
  const auto prior_at = [&](double step) {
    const MatrixXd moved =
        spread.basis * (MatrixXd::Identity(3, 3) + step * change) * spread.basis.transpose();
    return log_prior({DeviationForm::kFull, moved.llt().matrixL()});
  };
  const double slope = (prior_at(1e-5) - prior_at(-1e-5)) / 2e-5;
  EXPECT_NEAR(slope, 0.5 * (prior_excess(spread) * change).trace(), 1e-5);
}

}  // namespace
}  // namespace otss::internal
