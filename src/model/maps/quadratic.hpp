// This header computes all monomials of degree one and two: first every x_i, then x_i x_j for i < j
// and (x_i² - 1) / sqrt 2 for i = j, in the order of (i, j). If the x_i are independent standard
// normal variables, each monomial has variance 1. A quadratic gate is a linear gate on these
// columns.
#pragma once

#include <cstddef>
#include <span>

namespace otss::internal {

std::size_t num_quadratic_columns(std::size_t num_contexts);

// Computes the monomials of x. `out` has num_quadratic_columns(x.size()) entries.
void quadratic_columns(std::span<const double> x, std::span<double> out);

}  // namespace otss::internal
