// The words for a missing number as an SQL function. Written in SQL itself, their comparisons made
// DuckDB plan a wide table for minutes.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"

namespace otss::duck {

void register_missing_words(Connection& connection);

// The text of a CSV's value, or NULL where it is a word for a missing number (see kMissingWords).
std::string csv_value_sql(const std::string& quoted_column);

}  // namespace otss::duck
