// SQL functions that turn the text of a cell into the text of its value by the reading rules. When
// the words for a missing number were compared in SQL instead, DuckDB needed minutes to plan a
// query on a table with many columns.
#pragma once

#include <memory>
#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::duck {

// Registers the functions. They follow `rules` as these are when a query runs, so the caller may
// change the rules between two queries.
void register_cell_functions(Connection& connection, std::shared_ptr<const ReadingRules> rules);

// Return SQL for the text of a cell, given SQL for the cell as VARCHAR. All of them give NULL for a
// missing value, and leave a text that they do not understand unchanged.
std::string number_text_sql(const std::string& text);                       // a plain number
std::string date_text_sql(const std::string& text);                         // an ISO date or time
std::string level_sql(const std::string& text, const ReadingRules& rules);  // TextForm::kLevel

}  // namespace otss::duck
