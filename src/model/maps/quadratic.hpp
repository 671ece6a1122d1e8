// All monomials of degree one and two, on a scale on which standardised contexts give unit
// variances: x_i, then for i <= j  x_i x_j, where squares are (x_i^2 - 1) / sqrt 2. A quadratic
// gate is a linear one on these columns.
#pragma once

#include <cstddef>
#include <span>

namespace otss {

std::size_t num_quadratic_columns(std::size_t num_contexts);

// `out` has num_quadratic_columns(x.size()) entries.
void quadratic_columns(std::span<const double> x, std::span<double> out);

}  // namespace otss
