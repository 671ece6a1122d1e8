// Fits the oracle gate: a fit that is given the true shares of every context and estimates only the
// experts. It is a reference for the studies, not a bound: a method that estimates fewer numbers can
// have less regret where there is little to segment.
#pragma once

#include <span>
#include <vector>

#include "lab/worlds/simulation.hpp"

namespace otss::internal {

// Fits the oracle gate and returns its weights in the test contexts, rows × J. The experts shrink to
// a common centre, as in the methods that it is compared with: the centre has the penalty of the
// pooled model, and the strength of the shrinking is the one of a short list with the lowest loss in
// cross-validation. The fit uses the training rows `rows`, or all training rows if `rows` is empty.
// The tables of the studies show each method's regret divided by the regret of the oracle gate.
std::vector<double> oracle_gate_weights(const Simulation& simulation,
                                        std::span<const std::size_t> rows = {});

}  // namespace otss::internal
