// Chooses held-out rows. A split is one number per row of the log; rows are not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss {

// The fold (0 … num_folds-1) of every row, at random. Sizes of folds differ by at most one row. In
// a log with groups, a group is never divided: starting with the largest, each group goes to the
// fold that has the fewest rows so far. Fewer rows (or groups) than folds are an Error.
std::vector<std::uint8_t> assign_folds(const LoggedData& log, int num_folds, std::uint64_t seed);

// How many rows validation_rows holds out: floor(fraction · num_rows), but at least 100 if the log
// has 200 rows or more.
std::size_t validation_count(std::size_t num_rows, double fraction);

// One entry per row: 1 for held-out rows, 0 for the others. Which rows are held out:
//   without times or groups    rows drawn at random
//   with times                 the latest rows; rows of equal time stay together
//   with groups                whole groups drawn at random
//   with both                  whole groups, those with the latest last row
// Equal times and whole groups may make the number slightly larger than validation_count.
// `fraction` is between 0 and 1. A log that cannot be divided so is an Error.
std::vector<std::uint8_t> validation_rows(const LoggedData& log, double fraction = 0.2,
                                          std::uint64_t seed = 0);

}  // namespace otss
