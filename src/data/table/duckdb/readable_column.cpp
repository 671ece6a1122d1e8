#include "data/table/duckdb/readable_column.hpp"

#include <fmt/core.h>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/missing_words.hpp"

namespace otss::duck {
namespace {

std::string cast(std::string_view value, std::string_view type) {
  return fmt::format("CAST({} AS {})", value, type);
}

std::string try_cast(std::string_view value, std::string_view type) {
  return fmt::format("TRY_CAST({} AS {})", value, type);
}

bool is_numeric(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_SQLNULL: return true;
    default: return false;
  }
}

bool is_point_in_time(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS: return true;
    default: return false;
  }
}

}  // namespace

ReadableColumn readable_column(std::string_view name, duckdb_type type) {
  ReadableColumn column;
  column.value = quoted_name(name);
  column.as_text = cast(column.value, "VARCHAR");
  column.kind = ColumnKind::kNumber;
  if (is_numeric(type)) {
    column.as_number = cast(column.value, "DOUBLE");
  } else if (is_point_in_time(type)) {
    column.as_number = fmt::format("epoch({})", cast(column.value, "TIMESTAMP"));
  } else if (type == DUCKDB_TYPE_TIMESTAMP_TZ) {
    column.as_number = fmt::format("epoch({})", column.value);
  } else {
    column.kind = ColumnKind::kText;
    column.as_number = cast(column.as_text, "DOUBLE");
    column.try_number = try_cast(column.as_text, "DOUBLE");
    return column;
  }
  column.try_number = column.as_number;
  return column;
}

ReadableColumn readable_csv_column(std::string_view name, std::string_view type) {
  ReadableColumn column;
  column.as_text = quoted_name(name);
  column.value = csv_value_sql(column.as_text);
  column.kind = type == "VARCHAR" ? ColumnKind::kText : ColumnKind::kNumber;
  if (type == "BOOLEAN") {
    column.as_number = cast(cast(column.value, type), "DOUBLE");
    column.try_number = cast(try_cast(column.value, type), "DOUBLE");
  } else if (type == "TIMESTAMP") {
    column.as_number = fmt::format("epoch({})", cast(column.value, type));
    column.try_number = fmt::format("epoch({})", try_cast(column.value, type));
  } else {
    column.as_number = cast(column.value, "DOUBLE");
    column.try_number = try_cast(column.value, "DOUBLE");
  }
  return column;
}

}  // namespace otss::duck
