// This header computes the columns of a quadratic gate from a context x. First comes every x_i.
// Then come, in the order of (i, j), the products x_i x_j for i < j and (x_i² - 1) / sqrt 2 for i =
// j. If the x_i are independent standard normal variables, each column has variance 1. A quadratic
// gate is a linear gate on these columns.
#pragma once

#include <cstddef>
#include <span>

namespace otss::internal {

std::size_t num_quadratic_columns(std::size_t num_contexts);

// Computes the columns of x. `out` has num_quadratic_columns(x.size()) entries.
void quadratic_columns(std::span<const double> x, std::span<double> out);

}  // namespace otss::internal
