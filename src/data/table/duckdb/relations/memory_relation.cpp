#include "data/table/duckdb/relations/memory_relation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "data/table/columns.hpp"
#include "data/table/duckdb/relations/table_function.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {
namespace {

using SharedTable = std::shared_ptr<const MemoryTable>;

// The state of one scan of the table.
struct MemoryScan {
  std::size_t next_row = 0;
  std::vector<idx_t> columns;           // the columns that the query reads
  std::vector<std::string_view> texts;  // space for the texts of one chunk
};

void bind_memory(duckdb_bind_info info) {
  const auto& table = **static_cast<SharedTable*>(duckdb_bind_get_extra_info(info));
  for (const MemoryColumn& column : table.columns) {
    duckdb_logical_type type =
        duckdb_create_logical_type(column.texts ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_DOUBLE);
    duckdb_bind_add_result_column(info, column.name.c_str(), type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_bind_set_cardinality(info, table.num_rows, true);
}

void begin_scan(duckdb_init_info info) {
  auto scan = std::make_unique<MemoryScan>();
  for (idx_t i = 0; i < duckdb_init_get_column_count(info); ++i)
    scan->columns.push_back(duckdb_init_get_column_index(info, i));
  // With one thread, the rows come in their order.
  duckdb_init_set_max_threads(info, 1);
  duckdb_init_set_init_data(info, scan.release(), destroy_object<MemoryScan>);
}

void copy_numbers(const MemoryColumn& column, std::size_t first, std::size_t count,
                  duckdb_vector to) {
  auto* numbers = static_cast<double*>(duckdb_vector_get_data(to));
  column.numbers(first, {numbers, count});
  duckdb_vector_ensure_validity_writable(to);
  std::uint64_t* present = duckdb_vector_get_validity(to);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(numbers[i])) duckdb_validity_set_row_invalid(present, i);
  }
}

void copy_texts(const MemoryColumn& column, std::size_t first, std::size_t count,
                std::vector<std::string_view>& texts, duckdb_vector to) {
  texts.resize(count);
  column.texts(first, texts);
  duckdb_vector_ensure_validity_writable(to);
  std::uint64_t* present = duckdb_vector_get_validity(to);
  for (std::size_t i = 0; i < count; ++i) {
    if (texts[i].data() == nullptr) {
      duckdb_validity_set_row_invalid(present, i);
    } else {
      duckdb_vector_assign_string_element_len(to, i, texts[i].data(), texts[i].size());
    }
  }
}

void scan_memory(duckdb_function_info info, duckdb_data_chunk output) {
  const auto& table = **static_cast<SharedTable*>(duckdb_function_get_extra_info(info));
  auto& scan = *static_cast<MemoryScan*>(duckdb_function_get_init_data(info));
  const std::size_t count =
      std::min<std::size_t>(duckdb_vector_size(), table.num_rows - scan.next_row);
  try {
    for (idx_t i = 0; i < scan.columns.size(); ++i) {
      // A query that only counts rows asks for a column that does not exist.
      if (scan.columns[i] >= table.columns.size()) continue;
      const MemoryColumn& column = table.columns[scan.columns[i]];
      duckdb_vector to = duckdb_data_chunk_get_vector(output, i);
      if (column.texts) {
        copy_texts(column, scan.next_row, count, scan.texts, to);
      } else {
        copy_numbers(column, scan.next_row, count, to);
      }
    }
  } catch (const std::exception& error) {  // exceptions must not pass through DuckDB
    return duckdb_function_set_error(info, error.what());
  }
  scan.next_row += count;
  duckdb_data_chunk_set_size(output, count);
}

void check_memory(const MemoryTable& table) {
  std::vector<std::string> names;
  for (const MemoryColumn& column : table.columns) {
    names.push_back(column.name);
    if (static_cast<bool>(column.numbers) == static_cast<bool>(column.texts)) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("'{}': column '{}' needs either a reader of numbers or a reader of "
                              "texts; set one of the two",
                              table.name, column.name));
    }
  }
  check_column_names(names, table.name);
}

}  // namespace

std::string memory_relation(Connection& connection, SharedTable table) {
  check_memory(*table);
  return register_table_function(connection, {"otss_memory", bind_memory, begin_scan, scan_memory},
                                 std::move(table));
}

}  // namespace otss::internal::duck
