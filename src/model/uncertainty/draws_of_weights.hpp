// This header computes the quantiles and the normal draws that Uncertainty needs.
#pragma once

#include <span>
#include <vector>

namespace otss::internal {

// Returns the p-quantile of the values, and sorts the values in place. The quantile is interpolated
// at position p (n + 1) of the n sorted values, so that a new draw falls below the quantile with
// probability p.
double quantile(std::span<double> values, double p);

// Returns the root mean square of each column of a matrix. The matrix is stored row after row.
std::vector<double> column_sizes(std::span<const double> rows, std::size_t num_columns);

// Returns a num_draws × num_columns matrix of standard normal draws. The draws are adjusted so that
// the columns have exactly the means 0, the variances 1 and the correlations 0. Every call returns
// the same numbers.
std::vector<double> exact_normals(std::size_t num_draws, std::size_t num_columns);

// Returns the lower triangular L with C = L L', where C is `covariance`. C and L are n × n
// matrices, stored row after row. C may be singular.
std::vector<double> cholesky(std::span<const double> covariance, std::size_t n);

}  // namespace otss::internal
