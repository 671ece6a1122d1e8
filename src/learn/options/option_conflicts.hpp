#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Throws Error(kUsage) naming the options that contradict each other or have no effect for the
// method. Such options are never ignored.
void refuse_conflicts(const LoggedData& log, const FitOptions& options);

}  // namespace otss
