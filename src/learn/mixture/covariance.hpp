// How far the parameters of a penalised fit may be from those of the law behind the log.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "learn/mixture/penalty.hpp"
#include "learn/problem/problem.hpp"

namespace otss {

struct FitCovariance {
  Eigen::MatrixXd matrix;  // of the parameters, in the layout's order
  // Least over largest information the log has on a direction of gate and experts, their own scales
  // and the baseline taken out: near 0, experts cannot be told apart.
  double information_ratio = 1;
};

// The inverse of the penalised Gauss–Newton matrix at `theta`, times the dispersion. With `groups`
// (dense ids, one per row) rows of a group may depend on each other, and the penalised Hessian
// encloses the groups' own gradients (the cluster-robust sandwich, Liang & Zeger 1986); that counts
// no bias of the shrinkage.
FitCovariance fit_covariance(const Problem& problem, const Penalty& penalty,
                             const MixtureLayout& layout, std::span<const double> theta,
                             std::span<const std::uint32_t> groups, int num_threads);

// Variance of the outcomes about the model, relative to their family's: Pearson's statistic per
// degree of freedom. 1 for 0/1 outcomes, whose variance follows from their mean.
double dispersion(const Problem& problem, const MixtureLayout& layout,
                  std::span<const double> theta, int num_threads);

}  // namespace otss
