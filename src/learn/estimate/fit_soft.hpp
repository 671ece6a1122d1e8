#pragma once

#include "otss/learn/fit.hpp"

namespace otss::internal {

// Fits the soft mixture with a linear or quadratic gate. With --method pooled, fits the pooled
// model instead: one trade-off for everybody.
Fitted fit_soft(const LoggedData& log, const FitOptions& options, const Progress& progress);

}  // namespace otss::internal
