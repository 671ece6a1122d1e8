// Computes bounds on the expected regret R, given the weight error (the paper's Corollary
// "Localized expected regret under a margin condition"). Expectations are means over a sample of
// contexts; regret R, margin γ and perturbation δ are defined in margin_transfer.hpp, in units of a
// score.
#pragma once

#include <span>

#include "lab/theory/margin_transfer.hpp"

namespace otss::internal {

// Returns the right-hand side of the following bound, where R is the regret, γ the margin and δ the
// perturbation (margin_transfer.hpp):
//
//   E[R] <= 2η P(γ <= 2η) + 2 E[δ²] / η   for every η > 0
//
// The first term covers small errors, which cause regret only in contexts with a small margin. The
// second term covers large errors, which are rare.
double localized_regret_bound(std::span<const ContextMargin> margins, double eta);

// The condition that few contexts have a small margin γ: P(γ <= t) <= constant · t^exponent for all
// t > 0.
struct MarginTail {
  double constant = 0;
  double exponent = 1;  // the α of the bounds below
};

// Returns the condition with the smallest constant that holds for these contexts. The constant is
// infinite if some margin is 0.
MarginTail margin_tail(std::span<const ContextMargin> margins, double exponent);

// Returns a bound on the expected regret under a margin condition, with α = tail.exponent.
// largest_factor_norm is an upper bound of ‖z‖, and weight_mse is E‖ŵ - w*‖². The bound
//
//   E[R] <= a η^(1+α) + 2V / η,   V = largest_factor_norm² · weight_mse,   a = 2^(1+α) constant
//
// is evaluated at the optimal η = (2V / ((1+α) a))^(1/(2+α)). The bound is then proportional to
// weight_mse^((1+α)/(2+α)). This exponent is 1/2 for α = 0 (no margin condition) and tends to 1 as
// α grows.
double margin_tail_regret_bound(const MarginTail& tail, double largest_factor_norm,
                                double weight_mse);

// Returns the exponent of weight_mse in margin_tail_regret_bound, (1+α)/(2+α).
double margin_tail_rate(const MarginTail& tail);

}  // namespace otss::internal
