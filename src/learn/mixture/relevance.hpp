// Learns a penalty strength for each context column of the gate. A common ridge shrinks relevant
// and irrelevant columns equally, although the slopes of irrelevant columns cause most of a gate's
// error. A strength per column can shrink these slopes to nearly zero.
#pragma once

#include <span>

#include "learn/mixture/mixture_fit.hpp"

namespace otss::internal {

// Largest number of gate parameters for which relevances are learned. With more parameters,
// computing the curvature would take longer than all the fits together.
constexpr std::size_t kMostRelevances = 400;

// True if relevances are learned for a mixture of this size. The limits are kMostRelevances gate
// parameters and defaults::kManyColumns columns.
bool relevances_are_learnable(const MixtureLayout& layout);

// Returns the column strength l_j by the formula in the next comment; `expected_square` is
// E|G_j|^2.
double column_strength(int num_experts, double expected_square);

// Fits the mixture with column strengths l_j ~ Gamma(a, b), by expectation–maximisation under the
// Laplace approximation:
//   l_j = (a + (K-1)/2) / (b + E|G_j|^2 / 2),    E|G_j|^2 = |estimate|^2 + its posterior variance
// This is automatic relevance determination (Tipping 2001) with a proper prior. The strength of the
// gate's intercepts is learned in the same way. `penalty` has the initial strengths on entry and
// the learned strengths on return.
MixtureFit fit_with_relevance(const Problem& problem, Penalty& penalty, const MixtureLayout& layout,
                              std::span<const double> start, int rounds, const FitEffort& effort);

}  // namespace otss::internal
