// Describes the position of a row for error messages.
#pragma once

#include <cstddef>
#include <string>

#include "otss/data/table.hpp"

namespace otss {

// "row 4" for row = 3 (0-based); in a table of several files "row 2 of 'part2.csv'". Slow, because
// it reads the earlier files again to count their rows: for error messages only.
std::string place_of_row(const TableSource& source, std::size_t row);

}  // namespace otss
