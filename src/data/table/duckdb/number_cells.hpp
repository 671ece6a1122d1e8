// SQL functions that convert a text to a number by the rule of number_text.hpp. DuckDB's own CAST
// accepts more: for it, 1_000 is a number.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// `rules` has the words for a missing number, which become NULL; null: no word means missing.
void register_number_cells(Connection& connection, const ReadingRules* rules);

// Returns SQL for the number in a column of texts. A text that is not a number makes the query fail.
std::string number_sql(const std::string& quoted_column);
// The same, but a text that is not a number becomes NULL.
std::string try_number_sql(const std::string& quoted_column);
// True if a query failed because number_sql met a text that is not a number.
bool is_not_a_number(const Failure& failure);

}  // namespace otss::internal::duck
