// Checks whether the log identifies the weights: which combinations of factors vary given the
// context, and how much information the outcomes carry about the weights of these combinations.
#pragma once

#include <span>

#include "learn/problem/problem.hpp"
#include "otss/data/finding.hpp"

namespace otss::internal {

// Reports directions of the factors whose weights the log does not identify, and returns the
// condition number of the factors' variance given the context. `pooled_theta` has the parameters of
// a pooled fit. If it is empty, because outcomes are not 0 or 1, only the variance is checked.
double check_identification(const LoggedData& log, const Problem& problem,
                            std::span<const double> pooled_theta, int num_threads,
                            Findings& findings);

// Reports separation: a linear combination of columns that predicts (nearly) all outcomes.
void check_joint_separation(const Problem& problem, std::span<const double> pooled_theta,
                            int num_threads, Findings& findings);

}  // namespace otss::internal
