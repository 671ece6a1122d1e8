// This header makes histograms of context columns: of everybody, and of the members of each segment.
#pragma once

#include <span>

#include "report/report_input.hpp"

namespace otss::internal {

// `leading` has the leading expert of each context of input.contexts (leading_experts).
DistributionFacts distribution_facts(const ReportInput& input, const SegmentsFacts& segments,
                                     std::span<const int> leading, std::size_t column);

}  // namespace otss::internal
