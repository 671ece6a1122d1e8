// Against a known truth everything is exact: enumeration over the library, known w*.
#pragma once

#include <span>
#include <vector>

#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct TruthScore {
  double weight_mse = 0;         // mean over contexts of sum_j (w_j - w*_j)^2
  double weight_mse_scaled = 0;  // the same with factors at unit sd over all decisions
  double regret = 0;             // mean of max_d w*'z_d - w*'z_chosen
  double match_rate = 0;         // share of contexts whose decision is a best one
};

// `weights` and `truth` are rows × J, in the same units as the factors; row i may choose from
// feasible.at(i).
TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible);

// The weights of a simulation's test contexts.
TruthScore score_test_weights(const Simulation& simulation, std::span<const double> weights);

// Weight error alone, where there is no library.
double weight_mse(std::span<const double> weights, std::span<const double> truth, int num_factors);

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
