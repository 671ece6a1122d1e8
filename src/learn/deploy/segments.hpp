// Describes the experts of a mixture as segments of the log's contexts.
#pragma once

#include <vector>

#include "model/maps/soft_mixture.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns one profile per expert, computed from evenly spaced rows of the log, at most about
// 20,000. Returns none for more than FitDiagnostics::kMostSegments experts. `mixture` has weights for
// standardised factors; `outcome_scale` is the unit of its linear predictor in the log's units.
std::vector<SegmentProfile> segment_profiles(const LoggedData& log, const SoftMixture& mixture,
                                             double outcome_scale);

}  // namespace otss::internal
