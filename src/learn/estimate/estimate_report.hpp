// What an estimate of the soft mixture found, as its model keeps it.
#pragma once

#include "learn/estimate/estimate.hpp"
#include "otss/model/fit_report.hpp"

namespace otss {

// Sets the report's choice, held-out losses, gain and chains.
void add_estimate(const Estimate& found, FitReport& report);

}  // namespace otss
