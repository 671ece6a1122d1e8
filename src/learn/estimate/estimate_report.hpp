// Makes the part of a FitReport that describes an estimate of the soft mixture.
#pragma once

#include "learn/estimate/estimate.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Sets the report's choice, held-out losses, gain and chains.
void add_estimate(const Estimate& found, FitReport& report);

}  // namespace otss::internal
