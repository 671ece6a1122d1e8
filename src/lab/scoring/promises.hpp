// Measures how often the promises of a model hold: how often its intervals cover the true weights,
// and how often the decisions that it certifies are best.
#pragma once

#include "lab/scoring/scorecard.hpp"

namespace otss::internal {

// Sets the fields of the scorecard that concern intervals, certificates and checks of the weights,
// from the first test contexts of the simulation. The model must have weights. A model without
// intervals has no coverage, and certifies nothing.
void measure_promises(const Simulation& simulation, const Fitted& fitted, Scorecard& measured);

}  // namespace otss::internal
