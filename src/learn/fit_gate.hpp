#pragma once

#include "otss/learn/fit.hpp"

namespace otss::internal {

// Compares the kinds of gate on the same held-out rows, and fits the soft mixture with the best
// kind.
Fitted fit_best_gate(const LoggedData& log, const FitOptions& options, const Progress& progress);

}  // namespace otss::internal
