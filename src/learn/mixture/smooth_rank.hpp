// Weights that change along one direction only: w(x) = c + (u'x) v. A log of few rows determines the
// p + J numbers of u and v better than the p × J slopes of weights that are linear in the context.
// With two trade-offs and a gate, w(x) changes along one direction, too.
#pragma once

#include "learn/mixture/smooth_fit.hpp"

namespace otss::internal {

// Returns the fit with slopes of rank 1 that changes the linear predictors least. The changes are
// measured by the second moments of the problem's contexts and factors, as if both were independent
// (reduced-rank regression).
SmoothFit along_one_direction(const Problem& problem, SmoothFit fit);

}  // namespace otss::internal
