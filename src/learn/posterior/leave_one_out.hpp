#pragma once

#include <vector>

#include "learn/problem/problem.hpp"

namespace otss::internal {

// Returns, for each row i, the mean of eta_i over the posterior given all rows except i. The
// posterior is not sampled again: its draws given all rows are weighted by 1 / P(y_i), and the
// largest weights are truncated (truncated importance sampling, Ionides 2008).
std::vector<double> leave_one_out_predictors(const Problem& problem, const MixtureLayout& layout,
                                             const std::vector<std::vector<double>>& draws,
                                             int num_threads);

}  // namespace otss::internal
