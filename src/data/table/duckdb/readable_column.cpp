#include "data/table/duckdb/readable_column.hpp"

#include <fmt/core.h>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv_types.hpp"
#include "data/table/duckdb/missing_words.hpp"
#include "data/table/duckdb/number_cells.hpp"

namespace otss::internal::duck {
namespace {

std::string cast(std::string_view value, std::string_view type) {
  return fmt::format("CAST({} AS {})", value, type);
}

std::string try_cast(std::string_view value, std::string_view type) {
  return fmt::format("TRY_CAST({} AS {})", value, type);
}

ValueType value_type(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN: return ValueType::kBoolean;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_UHUGEINT: return ValueType::kWholeNumber;
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL: return ValueType::kNumber;
    case DUCKDB_TYPE_SQLNULL: return ValueType::kUnknown;
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIMESTAMP_TZ: return ValueType::kTime;
    default: return ValueType::kText;
  }
}

// Returns the ValueType for an SQL type that infer_csv_types returned.
ValueType value_type(std::string_view csv_type) {
  if (csv_type == "BIGINT") return ValueType::kWholeNumber;
  if (csv_type == "DOUBLE") return ValueType::kNumber;
  if (csv_type == kNoValues) return ValueType::kUnknown;
  if (csv_type == "BOOLEAN") return ValueType::kBoolean;
  if (csv_type == "TIMESTAMP") return ValueType::kTime;
  return ValueType::kText;
}

ColumnKind kind_of(ValueType type) {
  return type == ValueType::kText ? ColumnKind::kText : ColumnKind::kNumber;
}

}  // namespace

ReadableColumn readable_column(std::string_view name, duckdb_type type) {
  ReadableColumn column;
  column.value = quoted_name(name);
  column.as_text = cast(column.value, "VARCHAR");
  column.type = value_type(type);
  column.kind = kind_of(column.type);
  if (column.type == ValueType::kText) {
    column.as_number = number_sql(column.as_text);
    column.try_number = try_number_sql(column.as_text);
    return column;
  }
  if (type == DUCKDB_TYPE_TIMESTAMP_TZ) {
    column.as_number = fmt::format("epoch({})", column.value);
  } else if (column.type == ValueType::kTime) {
    column.as_number = fmt::format("epoch({})", cast(column.value, "TIMESTAMP"));
  } else {
    column.as_number = cast(column.value, "DOUBLE");
  }
  column.try_number = column.as_number;
  return column;
}

ReadableColumn readable_csv_column(std::string_view name, std::string_view type) {
  ReadableColumn column;
  column.as_text = quoted_name(name);
  column.value = csv_value_sql(column.as_text);
  column.type = value_type(type);
  column.kind = kind_of(column.type);
  if (type == "BOOLEAN") {
    column.as_number = cast(cast(column.value, type), "DOUBLE");
    column.try_number = cast(try_cast(column.value, type), "DOUBLE");
  } else if (type == "TIMESTAMP") {
    column.as_number = fmt::format("epoch({})", cast(column.value, type));
    column.try_number = fmt::format("epoch({})", try_cast(column.value, type));
  } else {
    column.as_number = number_sql(column.as_text);
    column.try_number = try_number_sql(column.as_text);
  }
  return column;
}

}  // namespace otss::internal::duck
