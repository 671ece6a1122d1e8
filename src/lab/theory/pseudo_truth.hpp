// Computes what hard regions of the rate family (rate_family.hpp) estimate. With more and more rows,
// the logistic regression of a bin does not approach the mean of w* in the bin, but the bin's
// pseudo-truth: the weights with the lowest expected loss in the bin. The paper's Theorem
// "Hard-versus-soft rate separation" assumes that pseudo-truths are compatible with w*:
//
//   E‖w_M°(X) - w*(X)‖² <= C / M²,   w_M° the pseudo-truths of M bins
#pragma once

#include <vector>

#include "lab/theory/rate_family.hpp"

namespace otss::internal {

// Returns the pseudo-truth of each of M = `regions` equal bins.
std::vector<RateWeights> pseudo_truths(int regions, RateShare form);

// Returns E‖w_M°(X) - w*(X)‖². It is at least the error of the bins' means.
double pseudo_truth_error(int regions, RateShare form);

// Returns the smallest C with which the condition holds for all M from 1 to `most_regions`: the
// largest M² pseudo_truth_error(M).
double compatibility_constant(int most_regions, RateShare form);

}  // namespace otss::internal
