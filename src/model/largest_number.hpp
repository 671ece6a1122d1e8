// The size of the numbers of a model.
#pragma once

#include "model/maps/any_scorer.hpp"

namespace otss {

// Returns the largest absolute value of a scorer's parameters.
double largest_number(const AnyScorer& scorer);

}  // namespace otss
