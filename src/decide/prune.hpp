// Which decisions of a library can ever be among the best under a soft mixture.
#pragma once

#include <cstddef>
#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

// Rows of the library, rising, that can be among the `count` best for some context; all others have
// at least `count` decisions ranked before them for every context, in the scores as they are
// computed, rounding and ties included.
std::vector<std::size_t> prune(const Mixture& mixture, const FeasibleSet& library,
                               std::size_t count);

}  // namespace otss
