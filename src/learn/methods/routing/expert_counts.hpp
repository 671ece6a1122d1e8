// How many experts a comparison method tries.
#pragma once

#include <span>
#include <vector>

#include "learn/problem/problem.hpp"
#include "otss/base/options.hpp"
#include "otss/model/method.hpp"

namespace otss {

// The number asked for; else those of `usual` that the problem has rows and distinct contexts for.
// Throws Error(kUsage) where the number asked for, or any more than one, makes no sense.
std::vector<int> expert_counts(const Problem& problem, AutoCount asked, std::span<const int> usual,
                               Method method);

// Every expert the pooled one, the gate undecided: where a fit that needs no luck starts.
std::vector<double> pooled_experts(const MixtureLayout& layout, const MixtureLayout& pooled_layout,
                                   std::span<const double> pooled);

}  // namespace otss
