// Computes a bound on the regret that an error in the weights causes in one context (the paper's
// Proposition "Margin-local decision stability"). With the scores s(d) = w*(x)'z(x, d) of a finite
// set of decisions:
//
//   regret        R = s(best) - s(chosen), where `chosen` maximises the estimated score
//   margin        γ = s(best) - s(second best), 0 if the best decision is not unique
//   perturbation  δ = max_d |(ŵ(x) - w*(x))'z(x, d)|
//
//   R <= 2δ·1{γ <= 2δ}
//
// So if the margin exceeds twice the perturbation, the chosen decision is the best one. R, γ and δ
// are in units of a score. Every study checks this bound in every context.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "otss/data/feasible_set.hpp"

namespace otss::internal {

struct ContextMargin {
  double regret = 0;
  double margin = 0;  // infinite if there is only one decision
  double perturbation = 0;

  double bound() const { return margin <= 2 * perturbation ? 2 * perturbation : 0; }
};

// Returns regret, margin and perturbation of each context. `weights` and `truth` have one weight
// vector per context, rows × J. The feasible decisions of context i are feasible.at(i).
std::vector<ContextMargin> context_margins(std::span<const double> weights,
                                           std::span<const double> truth,
                                           const FeasibleSet& feasible);

struct MarginTransfer {
  std::size_t contexts = 0;
  // Number of contexts whose regret exceeds the bound by more than rounding.
  std::size_t violations = 0;
  double mean_regret = 0;
  double mean_bound = 0;  // mean over contexts of the bound on the regret
};

// Checks the bound in every context. A context whose weights are NaN counts as a violation.
MarginTransfer check_margin_transfer(std::span<const double> weights, std::span<const double> truth,
                                     const FeasibleSet& feasible);

}  // namespace otss::internal
