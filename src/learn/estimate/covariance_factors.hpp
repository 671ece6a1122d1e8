// This header brings a covariance into the form in which a model file stores it.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "model/uncertainty/normal_uncertainty.hpp"

namespace otss::internal {

// Rounds to six significant digits, which keeps the model file short. The sampling error is larger
// than this rounding error.
double rounded(double value);

// Returns how many draws a model file stores if each draw has `num_parameters` numbers. This is at
// most `most`.
std::size_t num_stored_draws(std::size_t num_parameters, std::size_t most);

// The factors F of the two covariances F F': of the weights' parameters, and of the baseline's
// parameters.
struct CovarianceFactors {
  NormalUncertainty::Factor weights, baseline;
};

// Returns the factors of given covariances. `weights` is the covariance of the weights' parameters,
// and `baseline` is that of the baseline's parameters. `cross` has the covariances between the
// baseline's parameters (rows) and the weights' parameters (columns).
CovarianceFactors covariance_factors(Eigen::MatrixXd weights, const Eigen::MatrixXd& baseline,
                                     const Eigen::MatrixXd& cross);

}  // namespace otss::internal
