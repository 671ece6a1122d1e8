// Boosted trees on contexts and factors together: scores without weights, to see what a model
// without any structure makes of the log.
#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

std::unique_ptr<ComparisonMethod> make_gbm(const FitOptions& options);

}  // namespace otss
