// Learns a penalty strength for each context column of the gate. Most of a gate's error comes from
// its slopes on irrelevant columns. A common ridge cannot shrink these slopes to nearly zero,
// because it shrinks the slopes on relevant columns equally; a strength per column can.
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

// Returns the strength l_j of one column by the formula at fit_with_relevance(); `expected_square`
// is E|G_j|^2.
double column_strength(int num_experts, double expected_square);

// Fits the mixture with a learned strength l_j for each context column j. The prior of l_j is
// Gamma(a, b). Expectation–maximisation with the Laplace approximation repeats
//   l_j = (a + (K-1)/2) / (b + E|G_j|^2 / 2),    E|G_j|^2 = |estimate|^2 + its posterior variance
// where G_j are the gate slopes on column j, minus their mean over the experts. This is automatic
// relevance determination (Tipping 2001) with a proper prior. The strength of the gate's intercepts
// is learned in the same way. `penalty` has the initial strengths on entry and the learned
// strengths on return.
MixtureFit fit_with_relevance(const Problem& problem, Penalty& penalty, const MixtureLayout& layout,
                              std::span<const double> start, int rounds, const FitEffort& effort);

}  // namespace otss::internal
