// Fits the default model of `otss fit` to rows in memory, on one thread.
#pragma once

#include <span>
#include <vector>

#include "otss/learn/fit.hpp"

namespace otss::internal {

// `contexts` and `factors` are row-major matrices; there is one outcome per row.
Fitted fit_shipped(std::span<const double> contexts, std::span<const double> factors,
                   std::span<const float> outcomes);

// Returns the weights of the model in a context, which is given by the values of its columns.
std::vector<double> shipped_weights(const Fitted& fitted, std::span<const double> context);

}  // namespace otss::internal
