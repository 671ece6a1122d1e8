// Where a row is, in the words of an error.
#pragma once

#include <cstddef>
#include <string>

#include "otss/data/table.hpp"

namespace otss {

// "row 4" for a 0-based 3; in a table of several files "row 2 of 'part2.csv'". Reads the files
// before it again to count their rows: only for messages.
std::string place_of_row(const TableSource& source, std::size_t row);

}  // namespace otss
