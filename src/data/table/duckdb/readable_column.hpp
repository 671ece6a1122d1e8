// The SQL that turns a column of any type into a number or a text.
#pragma once

#include <duckdb.h>

#include <string>
#include <string_view>

#include "otss/data/table.hpp"

namespace otss::duck {

struct ReadableColumn {
  ColumnKind kind = ColumnKind::kText;
  ValueType type = ValueType::kText;
  std::string value;       // as the source has it; NULL where missing
  std::string as_number;   // fails on a value that is none
  std::string try_number;  // NULL on a value that is none
  std::string as_text;
};

// Numbers become DOUBLE, booleans 0 or 1, dates and times seconds since 1970; all else is text.
ReadableColumn readable_column(std::string_view name, duckdb_type type);

// A CSV column: VARCHAR in the file, of `type` by its values (see infer_csv_types).
ReadableColumn readable_csv_column(std::string_view name, std::string_view type);

}  // namespace otss::duck
