#include <duckdb.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <string_view>

#include "base/atomic_file.hpp"
#include "data/table/duckdb/connection.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

duckdb_type type_of(const ColumnInfo& column) {
  if (column.kind == ColumnKind::kText) return DUCKDB_TYPE_VARCHAR;
  return column.is_count ? DUCKDB_TYPE_BIGINT : DUCKDB_TYPE_DOUBLE;
}

std::string_view sql_type(const ColumnInfo& column) {
  switch (type_of(column)) {
    case DUCKDB_TYPE_VARCHAR: return "VARCHAR";
    case DUCKDB_TYPE_BIGINT: return "BIGINT";
    default: return "DOUBLE";
  }
}

// A DuckDB chunk that is reused: it is filled with rows, appended to the table, and filled again.
class AppendChunk {
 public:
  explicit AppendChunk(const std::vector<ColumnInfo>& columns) {
    std::vector<duckdb_logical_type> types;
    for (const ColumnInfo& column : columns) {
      types.push_back(duckdb_create_logical_type(type_of(column)));
      is_count_.push_back(column.is_count);
    }
    handle_ = duckdb_create_data_chunk(types.data(), types.size());
    for (duckdb_logical_type& type : types) duckdb_destroy_logical_type(&type);
  }
  ~AppendChunk() { duckdb_destroy_data_chunk(&handle_); }
  AppendChunk(const AppendChunk&) = delete;
  AppendChunk& operator=(const AppendChunk&) = delete;

  duckdb_data_chunk fill(const TableChunk& rows, std::size_t first, std::size_t count) {
    duckdb_data_chunk_reset(handle_);
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(handle_, i);
      if (is_count_[i]) {
        const auto counts = rows.columns[i].numbers.subspan(first, count);
        std::copy(counts.begin(), counts.end(),
                  static_cast<std::int64_t*>(duckdb_vector_get_data(vector)));
      } else {
        fill_column(vector, rows.columns[i], first, count);
      }
    }
    duckdb_data_chunk_set_size(handle_, count);
    return handle_;
  }

 private:
  static void fill_column(duckdb_vector vector, const ColumnChunk& column, std::size_t first,
                          std::size_t count) {
    duckdb_vector_ensure_validity_writable(vector);
    std::uint64_t* validity = duckdb_vector_get_validity(vector);
    auto* numbers = static_cast<double*>(duckdb_vector_get_data(vector));
    for (std::size_t i = 0; i < count; ++i) {
      if (column.kind == ColumnKind::kNumber) {
        numbers[i] = column.numbers[first + i];
        duckdb_validity_set_row_validity(validity, i, !std::isnan(numbers[i]));
      } else {
        const std::string_view text = column.texts[first + i];
        duckdb_validity_set_row_validity(validity, i, text.data() != nullptr);
        if (text.data() != nullptr)
          duckdb_vector_assign_string_element_len(vector, i, text.data(), text.size());
      }
    }
  }

  duckdb_data_chunk handle_ = nullptr;
  std::vector<bool> is_count_;
};

// Writes a Parquet file. DuckDB can write Parquet only from a query. So the rows are collected in a
// table in memory, and commit() writes this table to the file.
class ParquetSink final : public TableSink {
 public:
  ParquetSink(const std::string& path, const std::vector<ColumnInfo>& columns)
      : path_(path), file_(path), columns_(columns), chunk_(columns) {
    std::string definition;
    for (const ColumnInfo& column : columns) {
      definition += fmt::format("{}{} {}", definition.empty() ? "" : ", ",
                                duck::quoted_name(column.name), sql_type(column));
    }
    run(fmt::format("CREATE TABLE rows ({})", definition));
    if (duckdb_appender_create(connection_.handle(), nullptr, "rows", &appender_) != DuckDBSuccess)
      throw appender_failure();
  }

  ~ParquetSink() override { duckdb_appender_destroy(&appender_); }

  void write(const TableChunk& chunk) override {
    const std::size_t step = duckdb_vector_size();
    for (std::size_t first = 0; first < chunk.num_rows; first += step) {
      const std::size_t count = std::min(step, chunk.num_rows - first);
      if (duckdb_append_data_chunk(appender_, chunk_.fill(chunk, first, count)) != DuckDBSuccess) {
        throw appender_failure();
      }
    }
  }

  void commit() override {
    if (duckdb_appender_close(appender_) != DuckDBSuccess) throw appender_failure();
    std::string values;
    for (const ColumnInfo& column : columns_)
      values += (values.empty() ? "" : ", ") + stored_value(column);
    run(fmt::format("COPY (SELECT {} FROM rows) TO {} (FORMAT parquet, USE_TMP_FILE false)", values,
                    duck::quoted_literal(file_.temporary_path())));
    file_.commit();
  }

 private:
  // Returns SQL for the column in the type in which it is stored. A column of texts stays text if
  // some text cannot be converted to this type, or would be changed by the conversion.
  std::string stored_value(const ColumnInfo& column) {
    std::string name = duck::quoted_name(column.name);
    if (column.kind != ColumnKind::kText || column.stored_as.empty()) return name;
    const std::string converted = fmt::format("TRY_CAST({} AS {})", name, column.stored_as);
    // A text such as 007 would lose its zeros as a whole number.
    const std::string is_kept = column.type == ValueType::kWholeNumber
                                    ? fmt::format("CAST({} AS VARCHAR) = {}", converted, name)
                                    : fmt::format("{} IS NOT NULL", converted);
    const auto lost = connection_.first_row(fmt::format(
        "SELECT {0} FROM rows WHERE {0} IS NOT NULL AND ({1}) IS NOT TRUE LIMIT 1", name, is_kept));
    return lost ? name : fmt::format("{} AS {}", converted, name);
  }

  Error failure(const std::string& reason) const {
    return {ErrorCode::kIo,
            fmt::format("cannot write '{}': {}; write to another file or format", path_, reason)};
  }

  Error appender_failure() const {
    const char* reason = duckdb_appender_error(appender_);
    if (reason == nullptr) throw std::bad_alloc();  // there was no memory for a message
    return failure(reason);
  }

  void run(const std::string& sql) {
    try {
      connection_.execute(sql);
    } catch (const duck::Failure& refused) {
      throw failure(refused.one_line());
    }
  }

  std::string path_;
  AtomicFile file_;
  std::vector<ColumnInfo> columns_;
  duck::Connection connection_{2};  // with two threads, COPY writes two row groups at a time
  AppendChunk chunk_;
  duckdb_appender appender_ = nullptr;
};

}  // namespace

std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns) {
  return std::make_unique<ParquetSink>(path, columns);
}

}  // namespace otss::internal
