// Computes the weights of a mixture in contexts in which the outcome of a decision is already known.
//
// The paper says that EM "combines [the components'] coefficients using posterior responsibilities".
// The responsibility of expert k in a row is P(k | x, z, y), which depends on the outcome y. It can be
// computed for a logged row. When a decision is to be made, its outcome is not known, and the best
// prediction of the responsibilities is their mean given the context, which is the gate's share. So
// EM is deployed with its gate, like every other method, and the weights with responsibilities are a
// row of their own in the studies: they know one outcome of the test row more than all other rows.
#pragma once

#include <vector>

#include "lab/worlds/simulation.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// Returns the weights sum_k P(k | x, z, y) beta_k in the test contexts, rows × J, where z and y are the
// logged decision and the outcome of the test row. Precondition: the model is a mixture of
// probabilities of 0/1 outcomes.
std::vector<double> known_outcome_weights(const Simulation& simulation, const Fitted& fitted);

}  // namespace otss::internal
