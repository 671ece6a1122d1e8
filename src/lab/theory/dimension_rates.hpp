// Measures weight errors in worlds with different numbers of factors, experts and context columns. The
// paper's Theorem "Local joint estimation under regular soft truth" bounds the error of the parameters
// by a constant times (K J + p_loc) / n.
#pragma once

#include <cstdint>

#include "lab/theory/learned_rates.hpp"

namespace otss::internal {

// A world with K = experts, J = factors and p = contexts: x ~ N(0, I), z ~ U[-1, 1]^J, a softmax gate
// that is linear in x. The gate and the experts are the same for all seeds.
struct RateDimensions {
  int factors = 4;
  int experts = 2;
  int contexts = 2;

  // The number of parameters of the gate and the experts, which the theorem calls K J + p_loc except
  // for the baseline.
  int num_parameters() const { return experts * factors + (experts - 1) * (contexts + 1); }
};

// The estimators on a log of 2^log2_n rows of such a world.
struct DimensionRates {
  RateError oracle_gate, joint, shipped;
};
DimensionRates dimension_rates(std::uint64_t seed, int log2_n, const RateDimensions& dimensions);

}  // namespace otss::internal
