// This header defines SQL functions that turn the text of a cell into a value by the reading rules.
// Plain SQL could compare each cell with each word for a missing number. But with such comparisons,
// DuckDB needed minutes to plan a query on a table with many columns. DuckDB's CAST cannot replace
// these functions either, because it accepts texts such as 1_000 as numbers.
#pragma once

#include <memory>
#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// This enum says which words mean a missing number. In a CSV file, these are NA, null and the other
// words of ReadingRules::missing. Parquet and JSON have types, so in these files only the words of
// --missing mean a missing number.
enum class MissingWords { kOfCsv, kGiven };

// Registers the functions. They look up `rules` whenever a query runs, so the caller may change the
// rules between two queries.
void register_cell_functions(Connection& connection, std::shared_ptr<const ReadingRules> rules,
                             MissingWords missing_words);

// A plain number has the form that number_text.hpp reads, such as -1.5e3. A written number has a
// form that number_format.hpp reads, such as $20,000, or 1,5 with the decimal sign ','.
enum class NumberForm { kPlain, kWritten };

// Each function below takes an SQL expression for the text of a cell (VARCHAR) and returns another
// SQL expression. This expression is NULL if the cell is missing.
//
// Returns SQL for the number in a cell. A text that is not a number makes the query fail.
std::string number_sql(const std::string& text, NumberForm form);
// Returns SQL as number_sql does, but a text that is not a number becomes NULL.
std::string try_number_sql(const std::string& text, NumberForm form);
// number_text_sql returns SQL that writes a number as a plain number: "20,000" becomes "20000".
// date_text_sql returns SQL that writes a date or time in ISO form. Any other text is not changed.
std::string number_text_sql(const std::string& text);
std::string date_text_sql(const std::string& text);
// Returns SQL for a text in the form TextForm::kLevel.
std::string level_sql(const std::string& text, const ReadingRules& rules);

// Returns true if a query failed because number_sql met a text that is not a number.
bool is_not_a_number(const Failure& failure);

}  // namespace otss::internal::duck
