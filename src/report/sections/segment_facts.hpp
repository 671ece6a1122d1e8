// This header says what each segment wants: the mean weights of the contexts in which an expert has
// the largest share, with intervals.
#pragma once

#include <vector>

#include "report/report_input.hpp"

namespace otss::internal {

SegmentsFacts segment_facts(const ReportInput& input);

// Returns, for each context of input.contexts, the expert with the largest share. Empty if the
// model has no experts.
std::vector<int> leading_experts(const ReportInput& input);

// Returns the profiles of the segments that the fit stored, one per expert, or null if the model
// file does not have them.
const std::vector<SegmentProfile>* stored_segments(const Fitted& fitted);

}  // namespace otss::internal
