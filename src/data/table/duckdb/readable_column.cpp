#include "data/table/duckdb/readable_column.hpp"

#include <fmt/core.h>

#include "data/table/duckdb/cell_functions.hpp"
#include "data/table/number_text.hpp"

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

// Returns the ValueType for the type of a CsvColumn.
ValueType value_type(std::string_view csv_type) {
  if (csv_type == "BIGINT") return ValueType::kWholeNumber;
  if (csv_type == "DOUBLE") return ValueType::kNumber;
  if (csv_type == kNoValues) return ValueType::kUnknown;
  if (csv_type == "BOOLEAN") return ValueType::kBoolean;
  if (csv_type == "TIMESTAMP") return ValueType::kTime;
  return ValueType::kText;
}

// Returns the SQL name of a type that is not text; empty for types that are read as text.
std::string sql_name(const ResultColumn& column) {
  switch (column.type) {
    case DUCKDB_TYPE_BOOLEAN: return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT: return "TINYINT";
    case DUCKDB_TYPE_SMALLINT: return "SMALLINT";
    case DUCKDB_TYPE_INTEGER: return "INTEGER";
    case DUCKDB_TYPE_BIGINT: return "BIGINT";
    case DUCKDB_TYPE_HUGEINT: return "HUGEINT";
    case DUCKDB_TYPE_UTINYINT: return "UTINYINT";
    case DUCKDB_TYPE_USMALLINT: return "USMALLINT";
    case DUCKDB_TYPE_UINTEGER: return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT: return "UBIGINT";
    case DUCKDB_TYPE_UHUGEINT: return "UHUGEINT";
    case DUCKDB_TYPE_FLOAT: return "FLOAT";
    case DUCKDB_TYPE_DOUBLE: return "DOUBLE";
    case DUCKDB_TYPE_DECIMAL:
      return fmt::format("DECIMAL({}, {})", column.decimal_width, column.decimal_scale);
    case DUCKDB_TYPE_DATE: return "DATE";
    case DUCKDB_TYPE_TIMESTAMP: return "TIMESTAMP";
    case DUCKDB_TYPE_TIMESTAMP_S: return "TIMESTAMP_S";
    case DUCKDB_TYPE_TIMESTAMP_MS: return "TIMESTAMP_MS";
    case DUCKDB_TYPE_TIMESTAMP_NS: return "TIMESTAMP_NS";
    case DUCKDB_TYPE_TIMESTAMP_TZ: return "TIMESTAMP WITH TIME ZONE";
    default: return "";
  }
}

// Numbers that mean a missing value, such as -999, become NULL.
std::string without_missing(std::string number, const ReadingRules& rules) {
  for (const std::string& word : rules.missing_texts) {
    if (is_number(word))
      number = fmt::format("nullif({}, {})", number, cast(quoted_literal(word), "DOUBLE"));
  }
  return number;
}

// If the examined rows have only plain numbers, only plain numbers are accepted. A number such as
// $20,000 in a later row then makes reading fail, and all rows are examined. Settled rules no
// longer change, so with them every form is accepted.
NumberForm number_form(const CsvColumn& column, const ReadingRules& rules) {
  const bool saw_only_plain = column.example.empty() && rules.decimal == '.';
  return saw_only_plain && !rules.is_settled ? NumberForm::kPlain : NumberForm::kWritten;
}

ColumnInfo info_of(const std::string& name, ValueType type, const std::string& stored_as) {
  const ColumnKind kind = type == ValueType::kText ? ColumnKind::kText : ColumnKind::kNumber;
  return {.name = name, .kind = kind, .type = type, .stored_as = stored_as};
}

}  // namespace

const std::string& text_sql(const ReadableColumn& column, TextForm form) {
  switch (form) {
    case TextForm::kLevel: return column.as_level;
    case TextForm::kValue: return column.as_value;
    default: return column.as_text;
  }
}

ReadableColumn readable_column(const ResultColumn& source, const ReadingRules& rules) {
  ReadableColumn column;
  column.info = info_of(source.name, value_type(source.type), sql_name(source));
  column.value = quoted_name(source.name);
  column.as_text = cast(column.value, "VARCHAR");
  column.as_level = level_sql(column.as_text, rules);
  column.as_value = column.as_text;
  column.as_time = column.try_time = cast(column.value, "TIMESTAMP");
  if (column.info.type == ValueType::kText) {
    column.as_number = number_sql(column.as_text, NumberForm::kPlain);
    column.try_number = try_number_sql(column.as_text, NumberForm::kPlain);
    column.as_time = cast(date_text_sql(column.as_text), "TIMESTAMP");
    column.try_time = try_cast(date_text_sql(column.as_text), "TIMESTAMP");
    return column;
  }
  if (source.type == DUCKDB_TYPE_TIMESTAMP_TZ) {
    column.as_number = fmt::format("epoch({})", column.value);
  } else if (column.info.type == ValueType::kTime) {
    column.as_number = fmt::format("epoch({})", column.as_time);
  } else {
    column.as_number = without_missing(cast(column.value, "DOUBLE"), rules);
  }
  column.try_number = column.as_number;
  return column;
}

ReadableColumn readable_csv_column(const CsvColumn& source, const ReadingRules& rules) {
  ReadableColumn column;
  const bool is_time = source.type == "TIMESTAMP";
  const bool is_clock_only = is_time && source.is_written_date && !source.is_date_only &&
                             source.example.find_first_of("./-") == std::string::npos;
  std::string stored_as =
      source.type == "VARCHAR" || source.type == kNoValues || is_clock_only ? "" : source.type;
  if (is_time && source.is_date_only) stored_as = "DATE";
  column.info = info_of(source.name, value_type(source.type), stored_as);
  column.as_text = quoted_name(source.name);
  column.as_level = level_sql(column.as_text, rules);
  const std::string date = date_text_sql(column.as_text);
  column.as_time = cast(date, "TIMESTAMP");
  column.try_time = try_cast(date, "TIMESTAMP");
  column.value = is_time ? date : number_text_sql(column.as_text);
  column.as_value = stored_as.empty() ? column.as_text
                    : is_time         ? cast(cast(column.as_time, stored_as), "VARCHAR")
                                      : column.value;
  if (source.type == "BOOLEAN") {
    column.as_number = cast(cast(column.value, source.type), "DOUBLE");
    column.try_number = cast(try_cast(column.value, source.type), "DOUBLE");
  } else if (is_time) {
    column.as_number = fmt::format("epoch({})", column.as_time);
    column.try_number = fmt::format("epoch({})", column.try_time);
  } else {
    const NumberForm form = number_form(source, rules);
    column.as_number = number_sql(column.as_text, form);
    column.try_number = try_number_sql(column.as_text, form);
  }
  return column;
}

}  // namespace otss::internal::duck
