// The words for a missing number as an SQL function. Written in SQL itself, their comparisons made
// DuckDB plan a wide table for minutes.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::duck {

void register_missing_words(Connection& connection, const ReadingRules& rules);

// The text of a CSV's value, or NULL where it is a word for a missing number.
std::string csv_value_sql(const std::string& quoted_column);

}  // namespace otss::duck
