// SQL for the columns that the reading rules make from the columns of the file: parts of dates,
// levels of text factors, and an outcome that is not written as 0 and 1.
#pragma once

#include <vector>

#include "data/table/duckdb/readable_column.hpp"
#include "otss/data/reading_rules.hpp"

namespace otss::internal::duck {

// Replaces the numbers of the outcome column, and appends the other new columns. Rules about
// columns that the table does not have, and text factors whose levels are not known yet, are left
// out.
void add_made_columns(const ReadingRules& rules, std::vector<ReadableColumn>& columns);

}  // namespace otss::internal::duck
