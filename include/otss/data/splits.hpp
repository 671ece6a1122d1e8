// This header chooses held-out rows. A split is a vector with one number per row of the log. The
// rows themselves are not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "otss/data/logged_data.hpp"

namespace otss {

// Returns the fold (0 … num_folds-1) of every row, chosen at random. Without groups, the sizes of
// two folds differ by at most one row. With groups, all rows of a group are in one fold. Groups are
// assigned from the largest to the smallest, each to the fold that has the fewest rows so far. A
// log with fewer rows (or groups) than folds is an Error.
std::vector<std::uint8_t> assign_folds(const LoggedData& log, int num_folds, std::uint64_t seed);

// Returns how many rows validation_rows holds out: max(fraction · n, min(100, n / 2)), where n is
// num_rows. fraction · n and n / 2 are rounded down.
std::size_t validation_count(std::size_t num_rows, double fraction);

// Returns one entry per row: 1 for held-out rows, 0 for all other rows. Which rows are held out:
//   without times or groups    rows drawn at random
//   with times                 the latest rows; rows of equal time stay together
//   with groups                whole groups drawn at random
//   with times and groups     whole groups: those whose last row is latest
// Rows of equal time and rows of one group stay together, so the number of held-out rows may be
// slightly larger than validation_count. `fraction` is between 0 and 1. A log that cannot be
// split in this way is an Error.
std::vector<std::uint8_t> validation_rows(const LoggedData& log, double fraction = 0.2,
                                          std::uint64_t seed = 0);

}  // namespace otss
