// Reports regions of the context space in which a factor hardly varies. The factor's weight in such
// a region is extrapolated from other contexts.
#pragma once

#include "learn/problem/problem.hpp"
#include "otss/data/finding.hpp"

namespace otss::internal {

// Clusters the encoded contexts into at most six regions, and reports factors that hardly vary in a
// region.
void check_regions(const LoggedData& log, const Problem& problem, int num_threads,
                   Findings& findings);

}  // namespace otss::internal
