// The decisions a model will choose from, beside those it was taught by.
#pragma once

#include <span>
#include <vector>

#include "data/check/usable_log.hpp"
#include "data/log/raw_log.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/finding.hpp"

namespace otss {

// How many feasible decisions lie outside what was logged: in one factor, in any of them, and as a
// combination.
void check_reach(const LoggedData& log, const UsableLog& usable, const FeasibleSet& feasible,
                 Findings& findings);

// Does the mean of what was feasible in a context move the outcome by itself? Then weights absorb
// it, and --center-factors matters. A score test at the pooled fit; silent for a library, whose
// mean is everybody's.
void check_centering(const Problem& problem, std::span<const double> pooled_theta,
                     const RawLog& raw, const UsableLog& usable, const FeasibleSet& feasible,
                     int num_threads, Findings& findings);

}  // namespace otss
