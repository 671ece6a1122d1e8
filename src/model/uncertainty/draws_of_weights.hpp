// Quantiles and normal draws behind Uncertainty.
#pragma once

#include <span>
#include <vector>

namespace otss {

// Of values in any order, which are sorted on the way: the p-th of n + 1 gaps, so that a new draw
// falls below it with probability p.
double quantile(std::span<double> values, double p);

// Root mean square of each of the columns of a matrix, given row after row.
std::vector<double> column_sizes(std::span<const double> rows, std::size_t num_columns);

// Normal draws, num_draws×n, whose moments are exactly those of the law: mean 0, unit variances, no
// correlation. The same numbers every time.
std::vector<double> exact_normals(std::size_t num_draws, std::size_t num_columns);

// C = L L', both n×n row after row, for a C that may have no information in some direction.
std::vector<double> cholesky(std::span<const double> covariance, std::size_t n);

}  // namespace otss
