// SQL expressions that convert a column of any type to a number or a text.
#pragma once

#include <duckdb.h>

#include <string>
#include <string_view>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv_types.hpp"
#include "otss/data/table.hpp"

namespace otss::duck {

struct ReadableColumn {
  ColumnInfo info;
  std::string value;       // gives the value in the type of the source; NULL if missing
  std::string as_number;   // gives a number; fails if a value is not a number
  std::string try_number;  // gives a number; NULL if a value is not a number
  std::string as_text;     // TextForm::kVerbatim
  std::string as_level;    // TextForm::kLevel
  std::string as_value;    // TextForm::kValue
  std::string as_time;     // gives a TIMESTAMP; fails if a value is not a date or time
  std::string try_time;    // gives a TIMESTAMP; NULL if a value is not a date or time
  // Why as_number cannot convert a value, as the end of a message; empty: it is not a number.
  std::string problem;
};

// Returns the text of the column in the requested form.
const std::string& text_sql(const ReadableColumn& column, TextForm form);

// Numbers become DOUBLE, booleans become 0 or 1, dates and times become seconds since 1970. All
// other types become text.
ReadableColumn readable_column(const ResultColumn& column, const ReadingRules& rules);

// Returns the expressions for a CSV column, which is VARCHAR in the relation.
ReadableColumn readable_csv_column(const CsvColumn& column, const ReadingRules& rules);

}  // namespace otss::duck
