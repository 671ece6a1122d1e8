// This header finds the largest number in a model.
#pragma once

#include "model/maps/any_scorer.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// Returns the largest absolute value of the parameters, or infinity if a parameter is NaN.
double largest_number(const AnyScorer& scorer);
double largest_number(const Baseline& baseline);

}  // namespace otss::internal
