#pragma once

#include <vector>

#include "learn/problem/problem.hpp"

namespace otss {

// The logit of each row, averaged over the posterior given all rows but that one: what held-out
// predictions are to a fit, without holding out. Draws from the whole posterior are weighed by 1 /
// P(y_i), the largest weights cut off (truncated importance sampling, Ionides 2008).
std::vector<double> leave_one_out_predictors(const Problem& problem, const MixtureLayout& layout,
                                             const std::vector<std::vector<double>>& draws,
                                             int num_threads);

}  // namespace otss
