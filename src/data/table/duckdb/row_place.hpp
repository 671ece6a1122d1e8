// Describes the place of a row for error messages.
#pragma once

#include <cstddef>
#include <string>

#include "otss/data/table.hpp"

namespace otss::internal {

// Returns "row 4" for row = 3 (rows are counted from 0); in a table of several files, for example
// "row 2 of 'part2.csv'". This function is slow, because it reads the earlier files again to count
// their rows. Use it only for error messages.
std::string place_of_row(const TableSource& source, std::size_t row);

}  // namespace otss::internal
