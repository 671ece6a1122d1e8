// This header says how weights move: the mean weights along each context column, the other columns
// as they are (a partial dependence curve, Friedman 2001), with a band.
#pragma once

#include <optional>

#include "report/report_input.hpp"

namespace otss::internal {

// Returns nothing if the weights are the same in every context. `factors` has the comparable units.
std::optional<MovementsFacts> movement_facts(const ReportInput& input,
                                             const std::vector<FactorFacts>& factors,
                                             const SegmentsFacts& segments);

}  // namespace otss::internal
