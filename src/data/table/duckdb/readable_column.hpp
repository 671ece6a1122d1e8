// A ReadableColumn has SQL expressions that convert a column of any type to a number or a text.
#pragma once

#include <duckdb.h>

#include <string>
#include <string_view>

#include "otss/data/table.hpp"

namespace otss::internal::duck {

struct ReadableColumn {
  ColumnKind kind = ColumnKind::kText;
  ValueType type = ValueType::kText;
  std::string value;  // SQL for the value in the type of the file; NULL if missing
  // Two SQL expressions for the value as a number. If the value is not a number, as_number makes
  // the query fail, and try_number is NULL.
  std::string as_number;
  std::string try_number;
  std::string as_text;
};

// Returns the expressions for a column of this type. Numbers become DOUBLE, booleans become 0 or 1,
// dates and times become seconds since 1970-01-01. All other types become text.
ReadableColumn readable_column(std::string_view name, duckdb_type type);

// Returns the expressions for a CSV column, which is VARCHAR in the relation. `type` is the type
// that infer_csv_types found.
ReadableColumn readable_csv_column(std::string_view name, std::string_view type);

}  // namespace otss::internal::duck
