#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss::internal {

// Throws Error(kUsage) if options contradict each other, or if an option has no effect with the
// method. No option is ignored silently.
void refuse_conflicts(const LoggedData& log, const FitOptions& options);

}  // namespace otss::internal
