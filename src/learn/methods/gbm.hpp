// Fits boosted trees to contexts and factors together. The trees give scores but no weights. They
// show how well a model without the linear structure w(x)'z predicts.
#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss::internal {

std::unique_ptr<ComparisonMethod> make_gbm(const FitOptions& options);

}  // namespace otss::internal
