// Regions of contexts in which a factor was hardly varied: weights there are borrowed from others.
#pragma once

#include "learn/problem/problem.hpp"
#include "otss/data/finding.hpp"

namespace otss {

// Regions are a few clusters of the encoded contexts.
void check_regions(const LoggedData& log, const Problem& problem, int num_threads,
                   Findings& findings);

}  // namespace otss
