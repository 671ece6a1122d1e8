// SQL functions that turn the text of a cell into its value by the reading rules. SQL comparisons
// with each word for a missing number would do the same as these functions. But with such
// comparisons, DuckDB needed minutes to plan a query on a table with many columns. And DuckDB's own
// CAST accepts more than these functions: for it, 1_000 is a number.
#pragma once

#include <memory>
#include <string>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// The words that mean a missing number. Only a CSV file has the words NA, null, … for it: in Parquet
// and JSON, where values have types, only the words of --missing mean a missing number.
enum class MissingWords { kOfCsv, kGiven };

// Registers the functions. The functions follow `rules` as these are when a query runs, so the
// caller may change the rules between two queries.
void register_cell_functions(Connection& connection, std::shared_ptr<const ReadingRules> rules,
                             MissingWords missing_words);

// A plain number is one of number_text.hpp, such as -1.5e3. A written number is one of
// number_format.hpp, such as $20,000 or, with decimal commas, 1,5.
enum class NumberForm { kPlain, kWritten };

// Each of these functions takes SQL for a cell as VARCHAR. The result is NULL if the cell is
// missing.
//
// Returns SQL for the number in a cell. A text that is not a number makes the query fail.
std::string number_sql(const std::string& text, NumberForm form);
// Returns the same, but a text that is not a number becomes NULL.
std::string try_number_sql(const std::string& text, NumberForm form);
// Returns SQL for a plain number ("20,000" becomes "20000"), or for an ISO date or time. A text that
// is neither stays as it is.
std::string number_text_sql(const std::string& text);
std::string date_text_sql(const std::string& text);
// Returns SQL for a text in the form TextForm::kLevel.
std::string level_sql(const std::string& text, const ReadingRules& rules);

// Returns true if a query failed because number_sql met a text that is not a number.
bool is_not_a_number(const Failure& failure);

}  // namespace otss::internal::duck
