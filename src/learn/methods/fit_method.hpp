#pragma once

#include "otss/learn/fit.hpp"

namespace otss::internal {

// Fits a comparison method by the protocol that all methods share (method.hpp).
Fitted fit_method(const LoggedData& log, const FitOptions& options, const Progress& progress);

}  // namespace otss::internal
