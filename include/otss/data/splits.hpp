// Which rows are held out. Splits are masks over the rows of one log, never copies of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss {

// The fold (0 … num_folds-1) of every row. Sizes differ by at most one row; with groups, whole
// groups go to the fold that has the fewest rows, the largest group first.
std::vector<std::uint8_t> assign_folds(const LoggedData& log, int num_folds, std::uint64_t seed);

// The rows validation_rows holds out: floor(fraction · rows), but at least 100 where there are 200
// rows or more.
std::size_t validation_count(std::size_t num_rows, double fraction);

// 1 for the rows to validate on: drawn at random; with times the latest, rows of one time staying
// together; with groups whole groups (the latest by their last row, if there are times too). Ties
// and whole groups may make them a few more.
std::vector<std::uint8_t> validation_rows(const LoggedData& log, double fraction = 0.2,
                                          std::uint64_t seed = 0);

}  // namespace otss
