#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// Throws Error(kUsage) naming options that contradict each other, or options that have no effect
// for the method: no option is ignored silently.
void refuse_conflicts(const LoggedData& log, const FitOptions& options);

}  // namespace otss::internal
