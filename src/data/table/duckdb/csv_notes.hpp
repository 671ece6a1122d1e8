// This header makes the notes that tell a user how the cells of a CSV file were understood.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/csv_types.hpp"

namespace otss::internal::duck {

// Returns at most three notes: one about numbers that are not plain numbers, one about dates that
// are not ISO dates, and one about signs that mean a missing value. `table` is the name of the file
// in messages.
std::vector<std::string> notes_on_csv(const std::vector<const CsvColumn*>& columns,
                                      const ReadingRules& rules, const std::string& table);

}  // namespace otss::internal::duck
