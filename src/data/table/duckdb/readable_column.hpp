// A ReadableColumn has SQL expressions that convert a column of any type to a number or a text.
#pragma once

#include <duckdb.h>

#include <string>
#include <string_view>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv_types.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

struct ReadableColumn {
  ColumnInfo info;
  std::string value;  // the value in the type of the file; NULL if missing
  // The value as a number. If the value is not a number, as_number makes the query fail, and
  // try_number is NULL.
  std::string as_number;
  std::string try_number;
  std::string as_text;   // TextForm::kVerbatim
  std::string as_level;  // TextForm::kLevel
  std::string as_value;  // TextForm::kValue
  // The value as a TIMESTAMP. If the value is not a date or time, as_time makes the query fail, and
  // try_time is NULL.
  std::string as_time;
  std::string try_time;
  // The end of the error message for a value that as_number cannot convert. Empty means that the
  // usual message for a text that is not a number is used.
  std::string problem;
};

// Returns true if both columns have the same kind and the same numbers.
inline bool are_read_alike(const ReadableColumn& a, const ReadableColumn& b) {
  return a.as_number == b.as_number && a.info.kind == b.info.kind;
}

// Returns the SQL for the text of the column in the requested form.
const std::string& text_sql(const ReadableColumn& column, TextForm form);

// Returns the expressions for a column of a typed relation. Numbers become DOUBLE, booleans become
// 0 or 1, dates and times become seconds since 1970-01-01. All other types become text.
ReadableColumn readable_column(const ResultColumn& column, const ReadingRules& rules);

// Returns the expressions for a CSV column, which is VARCHAR in the relation.
ReadableColumn readable_csv_column(const CsvColumn& column, const ReadingRules& rules);

}  // namespace otss::internal::duck
