// Chooses the numbers of experts that a comparison method tries.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/base/options.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

// Returns the numbers of experts to try. If the user gave a number, the result has only this
// number. With auto, the result has the entries of `usual` for which the problem has enough rows
// and distinct contexts. If there is no such entry, the result is {1}. Throws Error(kUsage) if
// there are no contexts, or fewer distinct contexts than the number that the user gave.
std::vector<int> expert_counts(const Problem& problem, AutoCount asked, std::span<const int> usual,
                               Method method);

// Returns a theta in which every expert equals the pooled model's expert and the gate is zero. Fits
// of convex objectives start from this theta.
std::vector<double> pooled_experts(const MixtureLayout& layout, const MixtureLayout& pooled_layout,
                                   std::span<const double> pooled);

}  // namespace otss::internal
