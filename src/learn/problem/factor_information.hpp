// Computes the information that a log has about the weights when the baseline b(x) is unknown. This
// information is the part of the curvature that remains after the baseline's parameters are
// projected out.
#pragma once

#include <Eigen/Core>
#include <span>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// Returns H_aa - H_ab H_bb^-1 H_ba, where H is `curvature`. The index a stands for the `count`
// entries from `first` on, and b for the `num_given` entries from `first_given` on. H_bb may be
// singular, for example with an intercept and a full set of indicators.
Eigen::MatrixXd schur_complement(const Eigen::MatrixXd& curvature, Eigen::Index first,
                                 Eigen::Index count, Eigen::Index first_given,
                                 Eigen::Index num_given);

// Covariance matrices of the standardised factors, J × J. `given_context` is the covariance that
// remains when the context is known. Each eigenvalue of `given_context` is the remaining variance
// of one direction of the factors.
struct FactorVariation {
  Eigen::MatrixXd overall;
  Eigen::MatrixXd given_context;  // after linear regression on the encoded contexts
};
FactorVariation factor_variation(const Problem& problem, int num_threads);

// Returns the Fisher information about the weights of the standardised factors, at a pooled fit and
// with an unknown baseline.
Eigen::MatrixXd factor_information(const Problem& problem, std::span<const double> pooled_theta,
                                   int num_threads);

}  // namespace otss::internal
