// Finds a start for a gate whose shares are large at both ends of a direction of the context and
// small in the middle. The linear start (spectral_start.hpp) cannot find such shares.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// Directions u and v such that q(x) v estimates w(x) minus the pooled weights, where
//
//   q(x) = ((u'x)^2 - 1) / sqrt(2)
//
// Of all products q(x) v of this form, the chosen one explains most of the pooled fit's residuals.
struct QuadraticPair {
  std::vector<double> direction;   // u, p entries
  std::vector<double> difference;  // v, J entries
};

// Returns the best pair. `pooled` is the fitted theta of problem.layout(1). Precondition: the
// problem has contexts.
QuadraticPair find_quadratic_pair(const Problem& problem, std::span<const double> pooled);

}  // namespace otss::internal
