// Quantiles and normal draws for Uncertainty.
#pragma once

#include <span>
#include <vector>

namespace otss {

// The p-quantile of the values, which are sorted in place. It interpolates at position p (n + 1),
// so that a new draw falls below it with probability p.
double quantile(std::span<double> values, double p);

// Root mean square of each column of a matrix, which is given row after row.
std::vector<double> column_sizes(std::span<const double> rows, std::size_t num_columns);

// Standard normal draws, num_draws × num_columns, adjusted so that their sample mean is exactly 0,
// their variances 1 and their correlations 0. Every call gives the same numbers.
std::vector<double> exact_normals(std::size_t num_draws, std::size_t num_columns);

// The L of C = L L', both n×n row after row. C may be singular.
std::vector<double> cholesky(std::span<const double> covariance, std::size_t n);

}  // namespace otss
