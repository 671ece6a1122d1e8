#include "data/table/duckdb/parquet_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/ranks/message.hpp"
#include "data/table/duckdb/scalar_function.hpp"

namespace otss::internal::duck {

struct ParquetStore::Blocks {
  std::vector<std::shared_ptr<const ParquetRows>> rows;
  std::vector<std::size_t> ends{0};  // rows[i] has the rows from ends[i] to before ends[i + 1]
};

namespace {

using Kept = std::shared_ptr<ParquetStore::Blocks>;

// Calls set(i, column, place) for each row i of an SQL function's arguments. The cell of the row is
// at `place` of `column`.
template <class Set>
void for_each_cell(duckdb_function_info info, duckdb_data_chunk arguments, Set set) {
  const ParquetStore::Blocks& blocks = *extra_info<Kept>(info);
  const auto data = [&](idx_t argument) {
    return duckdb_vector_get_data(duckdb_data_chunk_get_vector(arguments, argument));
  };
  const auto* rows = static_cast<const std::int64_t*>(data(0));
  const auto* columns = static_cast<const std::int32_t*>(data(1));
  const idx_t count = duckdb_data_chunk_get_size(arguments);
  std::size_t block = 0;
  for (idx_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    // Consecutive rows are mostly in the same block.
    if (row < blocks.ends[block] || row >= blocks.ends[block + 1])
      block = std::ranges::upper_bound(blocks.ends, row) - blocks.ends.begin() - 1;
    set(i, blocks.rows[block]->columns[static_cast<std::size_t>(columns[i])],
        row - blocks.ends[block]);
  }
}

std::uint64_t* writable_validity(duckdb_vector output) {
  duckdb_vector_ensure_validity_writable(output);
  return duckdb_vector_get_validity(output);
}

void get_numbers(duckdb_function_info info, duckdb_data_chunk arguments, duckdb_vector output) {
  auto* to = static_cast<double*>(duckdb_vector_get_data(output));
  std::uint64_t* kept = writable_validity(output);
  for_each_cell(info, arguments,
                [&](idx_t i, const ParquetRows::Column& column, std::size_t place) {
                  to[i] = column.numbers[place];
                  if (std::isnan(to[i])) duckdb_validity_set_row_invalid(kept, i);
                });
}

void get_counts(duckdb_function_info info, duckdb_data_chunk arguments, duckdb_vector output) {
  auto* to = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  for_each_cell(info, arguments,
                [&](idx_t i, const ParquetRows::Column& column, std::size_t place) {
                  to[i] = static_cast<std::int64_t>(column.numbers[place]);
                });
}

void get_texts(duckdb_function_info info, duckdb_data_chunk arguments, duckdb_vector output) {
  std::uint64_t* kept = writable_validity(output);
  for_each_cell(info, arguments,
                [&](idx_t i, const ParquetRows::Column& column, std::size_t place) {
                  if (column.missing[place]) {
                    duckdb_validity_set_row_invalid(kept, i);
                    return;
                  }
                  const std::size_t begin = place == 0 ? 0 : column.ends[place - 1];
                  duckdb_vector_assign_string_element_len(output, i, column.bytes.data() + begin,
                                                          column.ends[place] - begin);
                });
}

}  // namespace

ParquetRows::ParquetRows(const TableChunk& chunk) : columns(chunk.columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].numbers.assign(chunk.columns[i].numbers.begin(), chunk.columns[i].numbers.end());
    for (const std::string_view text : chunk.columns[i].texts) {
      columns[i].bytes += text;
      columns[i].ends.push_back(columns[i].bytes.size());
      columns[i].missing.push_back(text.data() == nullptr);
    }
  }
}

ParquetRows::ParquetRows(const std::string& message) {
  MessageReader reader(message);
  columns.resize(reader.get<std::size_t>());
  for (Column& column : columns) {
    reader.get(column.numbers);
    reader.get(column.bytes);
    reader.get(column.ends);
    for (const std::uint8_t missing : reader.get<std::vector<std::uint8_t>>())
      column.missing.push_back(missing != 0);
  }
}

std::string ParquetRows::message() const {
  MessageWriter writer;
  writer.put(columns.size());
  for (const Column& column : columns) {
    writer.put(column.numbers);
    writer.put(column.bytes);
    writer.put(column.ends);
    writer.put(std::vector<std::uint8_t>(column.missing.begin(), column.missing.end()));
  }
  return std::move(writer).take();
}

ParquetStore::ParquetStore() : blocks_(std::make_shared<Blocks>()) {}

void ParquetStore::serve(Connection& connection) const {
  const auto add = [&](const char* name, duckdb_type result, duckdb_scalar_function_t body) {
    register_function(connection, {name, {DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_INTEGER}, result}, body,
                      blocks_);
  };
  add("otss_number_at", DUCKDB_TYPE_DOUBLE, get_numbers);
  add("otss_count_at", DUCKDB_TYPE_BIGINT, get_counts);
  add("otss_text_at", DUCKDB_TYPE_VARCHAR, get_texts);
}

void ParquetStore::append(std::shared_ptr<const ParquetRows> rows) {
  if (rows->num_rows == 0) return;
  blocks_->ends.push_back(num_rows() + rows->num_rows);
  blocks_->rows.push_back(std::move(rows));
}

std::size_t ParquetStore::num_rows() const { return blocks_->ends.back(); }

std::string ParquetStore::cell_sql(const ColumnInfo& column, std::size_t index,
                                   const std::string& row) {
  const char* function = column.kind == ColumnKind::kText ? "otss_text_at"
                         : column.is_count                ? "otss_count_at"
                                                          : "otss_number_at";
  return fmt::format("{}({}, {})", function, row, index);
}

}  // namespace otss::internal::duck
