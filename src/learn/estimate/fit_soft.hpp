#pragma once

#include "otss/learn/fit.hpp"

namespace otss::internal {

// Fits the soft mixture with a linear or quadratic gate. With --method pooled, fits one trade-off
// for everybody instead.
Fitted fit_soft(const LoggedData& log, const FitOptions& options, const Progress& progress);

}  // namespace otss::internal
