// Can the weights be told from this log at all? Which combinations of factors vary, given the
// context, and how much the outcomes say about them.
#pragma once

#include <span>

#include "learn/problem/problem.hpp"
#include "otss/data/finding.hpp"

namespace otss {

// Returns the condition number of the factors' variation given the context. `pooled_theta` is a
// pooled fit; without one (outcomes are not 0 or 1) only the variation is judged.
double check_identification(const LoggedData& log, const Problem& problem,
                            std::span<const double> pooled_theta, int num_threads,
                            Findings& findings);

// A combination of columns on whose two sides the outcomes lie.
void check_joint_separation(const Problem& problem, std::span<const double> pooled_theta,
                            int num_threads, Findings& findings);

}  // namespace otss
