// This header makes the SQL for the columns that the reading rules make from the columns of the
// file: parts of dates, levels of text factors, and an outcome that is not written as 0 and 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/table/duckdb/readable_column.hpp"
#include "otss/data/reading_rules.hpp"

namespace otss::internal::duck {

// Appends the columns that the rules make to `columns`. The outcome is not appended: the numbers of
// its column are replaced. A rule is ignored if the table does not have its column, or if it is a
// text factor whose levels are not known yet.
void add_made_columns(const ReadingRules& rules, std::vector<ReadableColumn>& columns);

// Returns the column from which the rules make the column `name`. Empty if the rules do not make a
// column with this name.
std::string source_of(std::string_view name, const ReadingRules& rules);

}  // namespace otss::internal::duck
