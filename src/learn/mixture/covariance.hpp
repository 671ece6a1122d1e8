// The covariance of the parameters of a penalised fit.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"

namespace otss {

struct FitCovariance {
  Eigen::MatrixXd matrix;  // covariance of the parameters, in the layout's order
  // Smallest over largest eigenvalue of the Fisher information about gate and experts, scaled to
  // unit diagonal, with the baseline projected out. Near 0 the log does not distinguish the
  // experts.
  double information_ratio = 1;
};

// The inverse H^-1 of the penalised Gauss–Newton matrix at `theta`, times the dispersion. With
// `groups` (one id per row, from 0 without gaps) rows of a group may depend on each other; the
// result is then the cluster-robust sandwich (Liang & Zeger 1986)
//
//   H^-1 ( sum over groups of g g' ) H^-1        g: summed gradient of a group's rows
//
// which does not include the bias of the shrinkage.
FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads);

// Variance of the outcomes about the model, relative to the family's variance: Pearson's statistic
// per degree of freedom. 1 for 0/1 outcomes, whose variance is determined by their mean.
double dispersion(const Problem& problem, const MixtureLayout& layout,
                  std::span<const double> theta, int num_threads);

}  // namespace otss
