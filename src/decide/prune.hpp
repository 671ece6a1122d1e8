// This header finds the decisions of a library that can be among the best under a soft mixture.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {

// Returns the rows of the decisions that can be among the `count` best in some context. The rows
// are in increasing order. In every context, at least `count` of these decisions are ranked before
// each decision that is left out. This is true for the computed scores, with their rounding errors
// and ties.
std::vector<std::size_t> prune(const Mixture& mixture, const FeasibleSet& library,
                               std::size_t count);

}  // namespace otss::internal
