// Finds the decisions of a library that can be among the best under a soft mixture.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/model/weight_map.hpp"

namespace otss::internal {

// Returns the rows of the library, in rising order, that can be among the `count` best in some
// context. Every other decision has, in every context, at least `count` decisions ranked before it;
// this holds for scores as they are computed, with rounding and ties.
std::vector<std::size_t> prune(const Mixture& mixture, const FeasibleSet& library,
                               std::size_t count);

}  // namespace otss::internal
