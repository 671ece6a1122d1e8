// Reports regions of the context space in which a factor hardly varies. The factor's weight in such
// a region is extrapolated from other contexts.
#pragma once

#include "otss/data/finding.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// Clusters the encoded contexts into at most six regions, and reports factors that hardly vary in a
// region.
void check_regions(const LoggedData& log, int num_threads, Findings& findings);

}  // namespace otss::internal
