// Holds out rows within units, so that the other rows of the same unit can predict them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/problem/split.hpp"
#include "learn/units/unit_index.hpp"

namespace otss::internal {

// Divides the rows of each unit into folds. Rows of units with only one row are never held out. If
// `times` is not empty, there is one fold: the latest rows of each unit, a fifth of its rows but at
// least one row.
Folds folds_within_units(const UnitIndex& index, std::span<const double> times, int num_folds,
                         std::uint64_t seed);

// Returns the rows of randomly chosen units, in order: as many units as have `most_rows` rows
// together. Returns all rows if there are no more.
std::vector<std::size_t> rows_of_some_units(const UnitIndex& index, std::size_t most_rows,
                                            std::uint64_t seed);

}  // namespace otss::internal
