// From weight error to expected regret (the paper's Corollary "Localized expected regret under a
// margin condition"). Expectations are means over a sample of contexts; regrets, margins γ and
// perturbations δ are those of margin_transfer.hpp, in units of a score.
#pragma once

#include <span>

#include "lab/theory/margin_transfer.hpp"

namespace otss {

// E[R] <= 2η P(γ <= 2η) + 2 E[δ²] / η for every η > 0: small errors only hurt where the margin is
// small, large errors are rare.
double localized_regret_bound(std::span<const ContextMargin> margins, double eta);

// P(γ <= t) <= constant · t^exponent for all t > 0: few contexts are close calls.
struct MarginTail {
  double constant = 0;
  double exponent = 1;  // α
};

// The smallest constant with which such a tail holds for these contexts; infinite when one of them
// has no margin at all.
MarginTail margin_tail(std::span<const ContextMargin> margins, double exponent);

// Under a margin tail, factors with ‖z‖ <= largest_factor_norm and E‖ŵ - w*‖² = weight_mse:
//   E[R] <= a η^(1+α) + 2V / η,   V = largest_factor_norm² · weight_mse,   a = 2^(1+α) constant,
// at its best η = (2V / ((1+α) a))^(1/(2+α)). It falls like weight_mse^((1+α)/(2+α)): between the
// square root of the weight error (no condition on margins) and the error itself.
double margin_tail_regret_bound(const MarginTail& tail, double largest_factor_norm,
                                double weight_mse);

// (1+α)/(2+α).
double margin_tail_rate(const MarginTail& tail);

}  // namespace otss
