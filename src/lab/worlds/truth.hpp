// Against a known truth everything is exact: enumeration over the library, known w*.
#pragma once

#include <span>
#include <vector>

#include "decide/truth_score.hpp"
#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// Given weights of a simulation's test contexts, against its true ones.
TruthScore score_test_weights(const Simulation& simulation, std::span<const double> weights);

// Regret and match rate of a model that has scores only; weight errors are NaN.
TruthScore score_test_decisions(const Simulation& simulation, const Fitted& fitted);

// The simulation's test contexts as the model encodes them, rows × p.
std::vector<double> encoded_test_contexts(const Simulation& simulation, const Fitted& fitted);

// Weights of the simulation's test contexts.
std::vector<double> test_weights(const Simulation& simulation, const Fitted& fitted);

// The floor that ratios refer to: experts by (unpenalised) logistic regression with the true gate
// known, on these training rows (all of them, if none are named); weights of the test contexts.
std::vector<double> oracle_gate_weights(const Simulation& simulation,
                                        std::span<const std::size_t> rows = {});

}  // namespace otss
