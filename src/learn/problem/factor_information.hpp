// What a log says about the weights whatever the baseline b(x) is: the part of a curvature that no
// change of the baseline can imitate.
#pragma once

#include <Eigen/Core>
#include <span>

#include "learn/problem/problem.hpp"

namespace otss {

// H_aa - H_ab H_bb^-1 H_ba, a being entries [first, first + count) and b the `given` ones. Entries
// that the given ones repeat (a full set of indicators beside an intercept) do no harm.
Eigen::MatrixXd schur_complement(const Eigen::MatrixXd& curvature, Eigen::Index first,
                                 Eigen::Index count, Eigen::Index first_given,
                                 Eigen::Index num_given);

// All of factors of unit variance: an eigenvalue is the share of the variance of a direction.
struct FactorVariation {
  Eigen::MatrixXd overall;        // J × J
  Eigen::MatrixXd given_context;  // once a linear function of the encoded contexts is taken off
};
FactorVariation factor_variation(const Problem& problem, int num_threads);

// Fisher information of the weights of standardised factors at a pooled fit, the baseline unknown.
Eigen::MatrixXd factor_information(const Problem& problem, std::span<const double> pooled_theta,
                                   int num_threads);

}  // namespace otss
