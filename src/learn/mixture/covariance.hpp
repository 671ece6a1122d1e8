// Computes the covariance of the parameters of a penalised fit.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/large_problem.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

struct FitCovariance {
  Eigen::MatrixXd matrix;  // covariance of the parameters, in the layout's order
  // The smallest eigenvalue divided by the largest eigenvalue of the Fisher information about gate
  // and experts. This information matrix has the baseline projected out and is scaled to unit
  // diagonal. If the ratio is near 0, the log does not distinguish the experts.
  double information_ratio = 1;
};

// Returns the covariance of the parameters. Let H be the penalised Gauss–Newton matrix at `theta`.
// If `groups` is empty, the result is H^-1 times the dispersion. Otherwise `groups` has one id per
// row, from 0 without gaps, and rows of one group may depend on each other. The result is then the
// cluster-robust sandwich (Liang & Zeger 1986)
//
//   H^-1 ( Λ + sum over groups of g g' ) H^-1        g: summed gradient of a group's rows
//
// Λ, the curvature of the penalty, adds the mean square of the bias that the penalty causes, if the
// penalty is the prior of the parameters (Nychka 1988). With independent rows the result is about
// H^-1, as without groups. `mixed` says what the fitted model
// averages over its experts.
FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads,
                             Mixed mixed = Mixed::kPredictors);

// Returns the same for all rows of a large log. `at` has the parameters, and says what the fitted model
// averages over its experts. The covariance is clustered if the log has groups.
FitCovariance fit_covariance(const LargeProblem& problem, const Penalty& penalty,
                             const SumRequest& at, int num_threads);

// Returns the sandwich above for a given Fisher information and a given sum over groups.
FitCovariance clustered_covariance(const Eigen::MatrixXd& information,
                                   const Eigen::MatrixXd& outer_products, const Penalty& penalty,
                                   const MixtureLayout& layout);

// Returns the variance of the outcomes about the model's means, divided by the variance that the
// family assumes (Pearson's statistic per degree of freedom). Returns 1 for 0/1 outcomes, because
// their mean determines their variance.
double dispersion(const Problem& problem, const MixtureLayout& layout,
                  std::span<const double> theta, int num_threads);

}  // namespace otss::internal
