// This header describes the experts of a mixture as segments of the log's contexts.
#pragma once

#include <vector>

#include "model/maps/soft_mixture.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns one profile per expert, or an empty list if there are more than
// FitDiagnostics::kMostSegments experts. The profiles are computed from evenly spaced rows of the
// log, fewer than 40,000. The weights of `mixture` belong to standardised factors and outcomes.
// `outcome_scale` converts them to the log's units of the outcome.
std::vector<SegmentProfile> segment_profiles(const LoggedData& log, const SoftMixture& mixture,
                                             double outcome_scale);

}  // namespace otss::internal
