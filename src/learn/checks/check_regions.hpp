// Reports regions of the context space in which a factor hardly varies. The factor's weight in such
// a region is extrapolated from other contexts.
#pragma once

#include "learn/problem/problem.hpp"
#include "otss/data/finding.hpp"

namespace otss::internal {

// Checks at most six regions, which are clusters of the encoded contexts.
void check_regions(const LoggedData& log, const Problem& problem, int num_threads,
                   Findings& findings);

}  // namespace otss::internal
