#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/random.hpp"
#include "model/units/unit_model.hpp"
#include "otss/model/units.hpp"
#include "unit/model/units/unit_fixture.hpp"

namespace otss::internal {
namespace {

TEST(ExpertPosterior, OfAUnitWithoutRowsIsTheGate) {
  const Fitted fitted(unit_model(2));
  const std::vector<double> x{0.7};
  std::vector<double> shares(2), found(2);
  fitted.mixture()->shares(x, shares);
  expert_posterior(fitted, x, nullptr, found);
  EXPECT_EQ(found, shares);
}

TEST(ExpertPosterior, OfGaussianRowsIsBayesRuleWithTheExactLikelihood) {
  const Fitted fitted(unit_model(2, OutputFamily::kGaussian));
  const auto model = std::make_shared<UnitModel>(fitted);
  const std::vector<double> x{0.4};
  constexpr int kRows = 5;
  Rng rng(3);
  Eigen::MatrixXd z = Eigen::MatrixXd::Ones(kRows, 3);  // (1, standardised factors)
  std::vector<double> directions, offsets, outcomes;
  for (int r = 0; r < kRows; ++r) {
    const std::vector<double> factors{rng.normal(), rng.normal()};
    std::vector<double> direction(model->rank());
    model->basis().project(factors, direction);
    directions.insert(directions.end(), direction.begin(), direction.end());
    for (int j = 0; j < 2; ++j) z(r, 1 + j) = factors[j];
    offsets.push_back(fitted.standardised_predictor(x, factors));
    outcomes.push_back(offsets.back() + rng.normal());
  }
  UnitMoments posteriors = model->make_moments();
  posteriors.add({directions, offsets, outcomes});
  posteriors.compute();
  const UnitBelief belief = make_belief(model, posteriors, 0);
  std::vector<double> found(2);
  expert_posterior(fitted, x, &belief, found);

  const Eigen::Map<const Eigen::Matrix3d> covariance(fitted.deviations()->covariance.data());
  const Eigen::MatrixXd total =
      0.8 * 0.8 * Eigen::MatrixXd::Identity(kRows, kRows) + z * covariance * z.transpose();
  std::vector<double> shares(2);
  fitted.mixture()->shares(x, shares);
  std::vector<double> w(2);
  fitted.weights(x, w);
  const auto& intercepts = fitted.baseline().expert_intercepts;
  double odds = 1;
  for (int k = 0; k < 2; ++k) {
    Eigen::Vector3d difference;
    difference[0] = intercepts[k] - shares[0] * intercepts[0] - shares[1] * intercepts[1];
    for (int j = 0; j < 2; ++j)
      difference[1 + j] =
          (fitted.mixture()->expert(k)[j] - w[j]) * fitted.encoder().factors[j].scale;
    const Eigen::VectorXd residuals = Eigen::VectorXd::Map(outcomes.data(), kRows) -
                                      Eigen::VectorXd::Map(offsets.data(), kRows) - z * difference;
    const double likelihood = std::exp(-0.5 * residuals.dot(total.ldlt().solve(residuals)));
    odds = k == 0 ? shares[0] * likelihood : odds / (shares[1] * likelihood);
  }
  EXPECT_NEAR(found[0] / found[1], odds, 1e-6 * odds);
  EXPECT_NEAR(found[0] + found[1], 1, 1e-12);
}

}  // namespace
}  // namespace otss::internal
