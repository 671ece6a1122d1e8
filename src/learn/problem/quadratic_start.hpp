// Where to look for shares that are large on both sides of a context and small in the middle: the
// linear start (spectral_start.hpp) is blind to them.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"

namespace otss {

// q(x) v estimates what w(x) has beyond the pooled weights, for q = ((u'x)^2 - 1) / sqrt(2): of all
// such products the one that explains most of the pooled fit's residuals.
struct QuadraticPair {
  std::vector<double> direction;   // u, p
  std::vector<double> difference;  // v, J
};

// `pooled` is the fitted theta of problem.layout(1); there must be contexts.
QuadraticPair find_quadratic_pair(const Problem& problem, std::span<const double> pooled);

}  // namespace otss
