#include "data/table/duckdb/relations/server_relation.hpp"

#include <fmt/core.h>

#include <limits>
#include <vector>

#include "data/table/columns.hpp"
#include "data/table/duckdb/relations/table_function.hpp"
#include "data/table/postgres/binary_value.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {
namespace {

using postgres::ServerColumn;
using postgres::ServerTable;
using postgres::ServerType;
using SharedServer = std::shared_ptr<ServerTable>;

constexpr std::int32_t kDaysTo2000 = 10'957;  // from 1970-01-01 to 2000-01-01
constexpr std::int64_t kMicrosecondsTo2000 = kDaysTo2000 * std::int64_t{86'400'000'000};
constexpr int kDecimalWidth = 18;  // DuckDB stores such decimals as 64-bit integers

duckdb_logical_type duckdb_type_of(const ServerColumn& column) {
  switch (column.type) {
    case ServerType::kBoolean: return duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN);
    case ServerType::kInt2: return duckdb_create_logical_type(DUCKDB_TYPE_SMALLINT);
    case ServerType::kInt4: return duckdb_create_logical_type(DUCKDB_TYPE_INTEGER);
    case ServerType::kInt8: return duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
    case ServerType::kFloat4: return duckdb_create_logical_type(DUCKDB_TYPE_FLOAT);
    case ServerType::kFloat8:
    case ServerType::kNumeric: return duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE);
    case ServerType::kDecimal: return duckdb_create_decimal_type(kDecimalWidth, column.scale);
    case ServerType::kDate: return duckdb_create_logical_type(DUCKDB_TYPE_DATE);
    case ServerType::kTimestamp: return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP);
    case ServerType::kTimestampTz: return duckdb_create_logical_type(DUCKDB_TYPE_TIMESTAMP_TZ);
    default: return duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  }
}

// One column of a chunk that DuckDB wants filled.
struct FilledColumn {
  const ServerColumn* column;
  duckdb_vector vector;
  void* data;
  std::uint64_t* validity;
};

// The state of one scan.
struct ServerScan {
  std::vector<std::size_t> places;   // for each column of the scan, its place in DuckDB's chunk
  std::vector<std::size_t> columns;  // the columns that the server sends
  std::unique_ptr<ServerTable::Scan> rows;
  std::vector<std::string_view> fields;
};

Error unreadable_value(const ServerTable::Scan& rows, const ServerColumn& column,
                       const std::string& problem) {
  return {ErrorCode::kInput,
          fmt::format("'{}': row {}: column '{}' {}; correct the value, or leave the row out",
                      rows.table().name(), rows.num_rows(), column.name, problem)};
}

template <class Value>
void put(const FilledColumn& to, idx_t row, Value value) {
  static_cast<Value*>(to.data)[row] = value;
}

// Returns false if the value is infinite, or too large for DuckDB.
template <class Integer>
bool put_time(const FilledColumn& to, idx_t row, Integer value, Integer offset) {
  using Limits = std::numeric_limits<Integer>;
  Integer since_1970 = 0;
  if (value == Limits::min() || value == Limits::max()) return false;
  if (__builtin_add_overflow(value, offset, &since_1970)) return false;
  put(to, row, since_1970);
  return true;
}

bool put_decimal(const FilledColumn& to, idx_t row, std::string_view field) {
  const auto value = postgres::numeric_as_decimal(field, to.column->scale);
  if (value) put(to, row, *value);
  return value.has_value();
}

bool put_numeric(const FilledColumn& to, idx_t row, std::string_view field) {
  const auto value = postgres::numeric_as_double(field);
  if (value) put(to, row, *value);
  return value.has_value();
}

bool put_text(const FilledColumn& to, idx_t row, std::string_view text) {
  duckdb_vector_assign_string_element_len(to.vector, row, text.data(), text.size());
  return true;
}

template <class Value>
bool put_plain(const FilledColumn& to, idx_t row, std::string_view field) {
  if (field.size() != sizeof(Value)) return false;
  put(to, row, postgres::load<Value>(field));
  return true;
}

// Writes a value that is not missing. Returns false if DuckDB has no such value.
bool put_value(const FilledColumn& to, idx_t row, std::string_view field) {
  switch (to.column->type) {
    case ServerType::kFloat8: return put_plain<double>(to, row, field);
    case ServerType::kFloat4: return put_plain<float>(to, row, field);
    case ServerType::kInt8: return put_plain<std::int64_t>(to, row, field);
    case ServerType::kInt4: return put_plain<std::int32_t>(to, row, field);
    case ServerType::kInt2: return put_plain<std::int16_t>(to, row, field);
    case ServerType::kBoolean: return put_plain<std::uint8_t>(to, row, field);
    case ServerType::kDecimal: return put_decimal(to, row, field);
    case ServerType::kNumeric: return put_numeric(to, row, field);
    case ServerType::kDate:
      return field.size() == 4 &&
             put_time(to, row, postgres::load<std::int32_t>(field), kDaysTo2000);
    case ServerType::kTimestamp:
    case ServerType::kTimestampTz:
      return field.size() == 8 &&
             put_time(to, row, postgres::load<std::int64_t>(field), kMicrosecondsTo2000);
    case ServerType::kPaddedText: {
      const std::size_t end = field.find_last_not_of(' ');
      return put_text(to, row, field.substr(0, end == std::string_view::npos ? 0 : end + 1));
    }
    default: return put_text(to, row, field);
  }
}

const char* problem_of(const ServerColumn& column) {
  switch (column.type) {
    case ServerType::kDate:
    case ServerType::kTimestamp:
    case ServerType::kTimestampTz: return "is infinite, or a date that is too far away";
    case ServerType::kDecimal: return "is NaN";
    default: return "has an unknown form";
  }
}

void bind_server(duckdb_bind_info info) {
  const auto& table = **static_cast<SharedServer*>(duckdb_bind_get_extra_info(info));
  for (const ServerColumn& column : table.columns()) {
    duckdb_logical_type type = duckdb_type_of(column);
    duckdb_bind_add_result_column(info, column.name.c_str(), type);
    duckdb_destroy_logical_type(&type);
  }
}

void begin_server_scan(duckdb_init_info info) {
  const auto& table = *static_cast<SharedServer*>(duckdb_init_get_extra_info(info));
  auto scan = std::make_unique<ServerScan>();
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i) {
    const idx_t column = duckdb_init_get_column_index(info, i);
    // A query that only counts rows asks for a column that does not exist.
    if (column >= table->columns().size()) continue;
    scan->places.push_back(i);
    scan->columns.push_back(column);
  }
  try {
    scan->rows = std::make_unique<ServerTable::Scan>(table, scan->columns);
  } catch (const std::exception& error) {  // exceptions must not pass through DuckDB
    table->keep_exception();
    return duckdb_init_set_error(info, error.what());
  }
  // With one thread, the rows come in their order.
  duckdb_init_set_max_threads(info, 1);
  duckdb_init_set_init_data(info, scan.release(), destroy_object<ServerScan>);
}

std::vector<FilledColumn> columns_to_fill(const ServerScan& scan, duckdb_data_chunk output) {
  std::vector<FilledColumn> filled;
  for (std::size_t i = 0; i < scan.columns.size(); ++i) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(output, scan.places[i]);
    duckdb_vector_ensure_validity_writable(vector);
    filled.push_back({&scan.rows->table().columns()[scan.columns[i]], vector,
                      duckdb_vector_get_data(vector), duckdb_vector_get_validity(vector)});
  }
  return filled;
}

// Fills one row. Throws an Error if DuckDB cannot store a value.
void fill_row(const ServerScan& scan, const std::vector<FilledColumn>& columns, idx_t row) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view field = scan.fields[i];
    if (field.data() == nullptr) {
      columns[i].validity[row / 64] &= ~(std::uint64_t{1} << (row % 64));
    } else if (!put_value(columns[i], row, field)) {
      throw unreadable_value(*scan.rows, *columns[i].column, problem_of(*columns[i].column));
    }
  }
}

void scan_server(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& table = *static_cast<SharedServer*>(duckdb_function_get_extra_info(info));
  auto& scan = *static_cast<ServerScan*>(duckdb_function_get_init_data(info));
  try {
    const std::vector<FilledColumn> columns = columns_to_fill(scan, output);
    const ServerTable::Scan::Turn turn(*scan.rows);
    idx_t count = 0;
    for (; count < duckdb_vector_size() && scan.rows->next(scan.fields); ++count)
      fill_row(scan, columns, count);
    duckdb_data_chunk_set_size(output, count);
  } catch (const std::exception& error) {
    table->keep_exception();
    duckdb_function_set_error(info, error.what());
  }
}

}  // namespace

std::string server_relation(Connection& connection, SharedServer table) {
  std::vector<std::string> names;
  for (const ServerColumn& column : table->columns()) names.push_back(column.name);
  check_column_names(names, table->name());
  return register_table_function(
      connection, {"otss_server", bind_server, begin_server_scan, scan_server}, std::move(table));
}

}  // namespace otss::internal::duck
