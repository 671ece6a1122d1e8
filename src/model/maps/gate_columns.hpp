// This header computes the columns that a gate uses. The shares are the softmax of linear functions
// of these columns.
#pragma once

#include <span>
#include <vector>

#include "model/maps/quadratic.hpp"

namespace otss::internal {

// Returns the context itself, or with `quadratic` all monomials of the context up to degree two.
inline std::vector<double> gate_columns(std::span<const double> x, bool quadratic) {
  if (!quadratic) return {x.begin(), x.end()};
  std::vector<double> columns(num_quadratic_columns(x.size()));
  quadratic_columns(x, columns);
  return columns;
}

inline int num_gate_columns(int num_contexts, bool quadratic) {
  return quadratic ? static_cast<int>(num_quadratic_columns(num_contexts)) : num_contexts;
}

}  // namespace otss::internal
