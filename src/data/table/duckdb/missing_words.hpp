// This header adds an SQL function to DuckDB. The function replaces the words for a missing number
// (NA, nan, …) by NULL. SQL comparisons with each of these words would do the same. But with such
// comparisons, DuckDB needed minutes to plan a query on a table with many columns.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

void register_missing_words(Connection& connection, const ReadingRules& rules);

// Returns an SQL expression for the text of a CSV value. The expression is NULL if the text is a
// word for a missing number.
std::string csv_value_sql(const std::string& quoted_column);

}  // namespace otss::internal::duck
