// An SQL function that replaces the words for a missing number (NA, nan, …) by NULL. When these
// words were compared in SQL instead, DuckDB needed minutes to plan a query on a table with many
// columns.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

void register_missing_words(Connection& connection, const ReadingRules& rules);

// Returns SQL for the text of a CSV value; the SQL gives NULL if the text is a word for a missing
// number.
std::string csv_value_sql(const std::string& quoted_column);

}  // namespace otss::internal::duck
