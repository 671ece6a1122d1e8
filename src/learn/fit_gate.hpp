#pragma once

#include "otss/learn/fit.hpp"

namespace otss {

// Tries each kind of gate on the same held-out rows and fits the soft mixture behind the best.
Fitted fit_best_gate(const LoggedData& log, const FitOptions& options, const Progress& progress);

}  // namespace otss
