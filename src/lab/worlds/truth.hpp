// Compares a model with the true weights w* of a simulation. Regret is exact: all feasible
// decisions are enumerated.
#pragma once

#include <span>
#include <vector>

#include "decide/truth_score.hpp"
#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// Compares `weights`, a model's weights in the test contexts (rows × J), with the true weights.
TruthScore score_test_weights(const Simulation& simulation, std::span<const double> weights);

// Returns regret and match rate of a model that has scores but no weights. The weight errors in the
// result are NaN.
TruthScore score_test_decisions(const Simulation& simulation, const Fitted& fitted);

// Returns the test contexts of the simulation as the model encodes them, rows × p.
std::vector<double> encoded_test_contexts(const Simulation& simulation, const Fitted& fitted);

// Returns the model's weights in the test contexts of the simulation, rows × J.
std::vector<double> test_weights(const Simulation& simulation, const Fitted& fitted);

}  // namespace otss::internal
