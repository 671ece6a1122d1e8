// The numbers of experts that a comparison method tries.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/base/options.hpp"
#include "otss/model/method.hpp"

namespace otss {

// The number asked for; for auto, the entries of `usual` for which the problem has enough rows and
// distinct contexts, or {1} if there is none. Throws Error(kUsage) if there are no contexts, or
// fewer distinct ones than the number asked for.
std::vector<int> expert_counts(const Problem& problem, AutoCount asked, std::span<const int> usual,
                               Method method);

// theta in which every expert is the pooled one and the gate is zero: the starting point of a
// convex fit.
std::vector<double> pooled_experts(const MixtureLayout& layout, const MixtureLayout& pooled_layout,
                                   std::span<const double> pooled);

}  // namespace otss
