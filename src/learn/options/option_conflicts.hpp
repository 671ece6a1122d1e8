#pragma once

#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Options that contradict each other, or mean nothing for the method, are refused, never ignored:
// Error(kUsage) that names them.
void refuse_conflicts(const LoggedData& log, const FitOptions& options);

}  // namespace otss
