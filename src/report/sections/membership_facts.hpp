// This header says who the members of each segment are: what raises and lowers an expert's share,
// and in which columns the members differ from everybody.
#pragma once

#include <optional>
#include <span>

#include "report/report_input.hpp"

namespace otss::internal {

// Returns nothing if the model has fewer than two experts. `segments` gives the order of the
// experts, and `sds` has the comparable unit of each factor.
std::optional<MembershipFacts> membership_facts(const ReportInput& input,
                                                const SegmentsFacts& segments,
                                                std::span<const double> sds);

}  // namespace otss::internal
