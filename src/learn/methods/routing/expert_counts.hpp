// The numbers of experts that a comparison method tries.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/base/options.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

// Returns the numbers of experts to try. This is the number that the user asked for; for auto, the
// entries of `usual` for which the problem has enough rows and distinct contexts, or {1} if no
// entry has enough. Throws Error(kUsage) if there are no contexts, or fewer distinct contexts than
// the number asked for.
std::vector<int> expert_counts(const Problem& problem, AutoCount asked, std::span<const int> usual,
                               Method method);

// Returns theta in which every expert equals the pooled model's expert and the gate is zero. Convex
// fits start from it.
std::vector<double> pooled_experts(const MixtureLayout& layout, const MixtureLayout& pooled_layout,
                                   std::span<const double> pooled);

}  // namespace otss::internal
