// This header fits weights that are linear in the context, w(x) = A x + c. The fit is a regression
// on all products of contexts and factors. The regression also learns the penalty strengths of the
// coefficients. Weights that change smoothly with the context need no segments, so `--method auto`
// averages this model with soft mixtures (docs/adr/0014).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "learn/options/defaults.hpp"
#include "learn/problem/problem.hpp"

namespace otss::internal {

struct SmoothFit {
  // Row i belongs to entry i of [x, 1], column j to entry j of [z, 1]:
  //   eta = [x, 1]' coefficients [z, 1]
  Eigen::MatrixXd coefficients;
  // The penalty of each coefficient, counted in rows. It is almost 0 for the intercept of eta.
  Eigen::MatrixXd penalty;
};

// Says which coefficients share a strength, and which rows depend on each other.
struct SmoothStructure {
  // For each encoded context column, the index of its source: the log's column from which it was
  // encoded. The levels of one text column share a strength, so that a column with many levels is
  // shrunk as a whole.
  std::vector<int> sources;
  // The group of each row of the problem, from 0; empty if rows are independent.
  std::span<const std::uint32_t> groups = {};
};

// Returns the sources of the log's encoded context columns. If the problem has other columns (those
// of a quadratic gate), each column is its own source.
std::vector<int> context_sources(const LoggedData& log, const Problem& problem);

// True if the model is small enough to be fitted: computing its Hessian takes time proportional to
// the squared number of coefficients.
bool smooth_is_feasible(int num_contexts, int num_factors);

struct SmoothEffort {
  // A fit of similar rows from which the iteration starts, or null.
  const SmoothFit* start = nullptr;
  // With more rows than this, the strengths are learned on a subsample of this size.
  std::size_t most_rows = defaults::kSelectionRows;
};

// Fits the model. A block is a set of coefficients with one strength. This strength is the solution
// of
//   strength = (effective number of coefficients + 2a) / (sum of squared estimates + 2b)
// (MacKay 1992, with a Gamma(a, b) prior). The penalty of the block is the strength times the
// block's design effect: the variance of the estimates, divided by the variance that independent
// rows of this family would give. So rows of one group that resemble each other count for less, and
// so do outcomes that vary more than their family implies. If the log is large, the strengths are
// learned on a subsample (SmoothEffort::most_rows); the coefficients are fitted to all rows.
SmoothFit fit_smooth(const Problem& problem, const SmoothStructure& structure, int num_threads,
                     const SmoothEffort& effort = {});

// Returns how many rows are enough to learn the strengths, if all rows are many. A strength is at
// most 1/kStrengthRate, so a strength that is learned from too few rows still shrinks the
// coefficients of tens of thousands of rows by a few per cent of their standard errors only.
std::size_t enough_for_strengths(const Problem& problem);

// Returns the linear predictor of every row.
std::vector<double> smooth_predictors(const Problem& problem, const SmoothFit& fit,
                                      int num_threads);

}  // namespace otss::internal
