// This header says in which file and row a value is, for error messages.
#pragma once

#include <cstddef>
#include <string>

#include "otss/data/table.hpp"

namespace otss::internal {

// Returns a text such as "row 4" for row = 3, since `row` is counted from 0. In a table of several
// files the text is, for example, "row 2 of 'part2.csv'". This function is slow, because it reads
// the earlier files again to count their rows. Use this function only for error messages.
std::string place_of_row(const TableSource& source, std::size_t row);

}  // namespace otss::internal
