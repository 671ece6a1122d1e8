// Compares the decisions that a model will choose from with the logged decisions.
#pragma once

#include <span>
#include <vector>

#include "data/check/usable_log.hpp"
#include "data/log/raw_log.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/finding.hpp"

namespace otss::internal {

// Reports which share of the feasible decisions lies outside the range of the logged decisions: in
// each factor, in at least one factor, and in the combination of factors.
void check_reach(const LoggedData& log, const UsableLog& usable, const FeasibleSet& feasible,
                 Findings& findings);

// Tests whether the mean factors of a context's feasible decisions affect the outcome by themselves
// (score test at the pooled fit). If they do, the weights are biased without --center-factors. Does
// nothing when all contexts have the same feasible decisions, because the mean is then the same in
// all contexts.
void check_centering(const Problem& problem, std::span<const double> pooled_theta,
                     const RawLog& raw, const UsableLog& usable, const FeasibleSet& feasible,
                     int num_threads, Findings& findings);

}  // namespace otss::internal
