// Says how much the weights may differ between contexts although a fit found one trade-off for
// everybody.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// Returns the largest variance over contexts, per standardised factor, that the log does not
// exclude. The mixture with the parameters `theta` has one expert. `groups` has the group of each
// row of the problem, or is empty. Returns nothing if there are too few rows (or groups).
//
// The alternative is w(x) = β + Γ'c(x), where c are M uncorrelated linear functions of the context at
// unit variance, and the entries of Γ are independent with mean 0 and variance τ². With the score
// matrix U (score_matrix.hpp), whitened to independent standard normal entries at τ = 0,
//
//   ‖A^-½ U B^-½‖² ~ (1 + τ² i) χ²_MJ about,    i = tr(I B^-1 I) / J,   I = Σ_rows curvature · z z',
//
// and the result is M τ² for the largest τ² at which so small a sum of squares, or a smaller one, has
// the probability 2.5 %. No direction has to be found for this, so it sees differences that are much
// too small to be learned.
std::optional<double> hidden_variance(const Problem& problem, const MixtureLayout& layout,
                                      std::span<const double> theta,
                                      std::span<const std::uint32_t> groups, int num_threads);

}  // namespace otss::internal
