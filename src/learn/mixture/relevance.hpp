// Which context columns the gate needs. A ridge shrinks a column that matters and one that does not
// alike; learning a strength for each column lets the data silence the second kind, and a gate's
// error is mostly theirs.
#pragma once

#include <span>

#include "learn/mixture/mixture_fit.hpp"

namespace otss {

// Gate parameters; the curvature of more takes longer than all fits.
constexpr std::size_t kMostRelevances = 400;

// The most likely strength of a column, given E|G_j|^2.
double column_strength(int num_experts, double expected_square);

// Fits the mixture with column strengths l_j ~ Gamma(a, b), by expectation–maximisation under the
// Laplace approximation:
//   l_j = (a + (K-1)/2) / (b + E|G_j|^2 / 2),    E|G_j|^2 = |estimate|^2 + its posterior variance
// (automatic relevance determination, Tipping 2001, with a proper prior). The intercepts
// learn theirs the same way. `penalty` is where it starts and receives what was learned.
MixtureFit fit_with_relevance(const Problem& problem, Penalty& penalty, const MixtureLayout& layout,
                              std::span<const double> start, int rounds, const FitEffort& effort);

}  // namespace otss
