// Weights that are linear in the context, w(x) = A x + c: a ridge regression on all products of
// contexts and factors whose strengths are learned. Weights that change smoothly with the context
// need no segments; `--method auto` averages this model with soft mixtures (docs/adr/0014).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss::internal {

struct SmoothFit {
  // Row i belongs to entry i of [x, 1], column j to entry j of [z, 1]:
  //   eta = [x, 1]' coefficients [z, 1]
  Eigen::MatrixXd coefficients;
  // The penalty of each coefficient, in rows; 0 for the intercept of eta.
  Eigen::MatrixXd penalty;
};

// Which coefficients share a strength, and which rows depend on each other.
struct SmoothStructure {
  // The number of the log's column that each encoded context column comes from. The levels of one
  // text column share a strength, so that a column with many levels is shrunk as a whole.
  std::vector<int> sources;
  // The group of each row of the problem, from 0; empty if rows are independent.
  std::span<const std::uint32_t> groups = {};
};

// The sources of the log's encoded context columns. If the problem has other columns (those of a
// quadratic gate), each of them is its own source.
std::vector<int> context_sources(const LoggedData& log, const Problem& problem);

// True if the model is small enough to be fitted: computing its Hessian takes time proportional to
// the squared number of coefficients.
bool smooth_is_feasible(const Problem& problem);

// Fits the model. The strength of a block of coefficients is the fixed point of
//   (effective number of coefficients + 2a) / (sum of squared estimates + 2b)
// (MacKay 1992, with a Gamma(a, b) prior). The penalty is the strength times the block's design
// effect: how much larger the variance of the estimates is than independent rows of this family
// would give. So rows of one group that resemble each other count for less, as do outcomes that
// vary more than their family says. Of a large log, a subsample is used
// to learn the strengths; the coefficients are fitted to all rows.
SmoothFit fit_smooth(const Problem& problem, const SmoothStructure& structure, int num_threads);

// Returns the linear predictor of every row.
std::vector<double> smooth_predictors(const Problem& problem, const SmoothFit& fit,
                                      int num_threads);

}  // namespace otss::internal
