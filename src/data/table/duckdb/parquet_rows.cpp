#include "data/table/duckdb/parquet_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string_view>

#include "base/ranks/message.hpp"
#include "data/table/duckdb/scalar_function.hpp"

namespace otss::internal::duck {

namespace {

// Consecutive rows, or the function that makes them.
class ParquetBlock {
 public:
  explicit ParquetBlock(ParquetStore::Rows rows) : rows_(std::move(rows)) {}
  explicit ParquetBlock(std::function<ParquetStore::Rows()> make) : make_(std::move(make)) {}

  ParquetStore::Rows rows() {
    const std::lock_guard lock(mutex_);
    if (!rows_) rows_ = make_();
    return rows_;
  }
  // Frees the memory of rows that can be made again.
  void release() {
    const std::lock_guard lock(mutex_);
    if (make_) rows_ = nullptr;
  }

 private:
  std::mutex mutex_;  // protects rows_
  ParquetStore::Rows rows_;
  std::function<ParquetStore::Rows()> make_;
};

}  // namespace

struct ParquetStore::Blocks {
  std::deque<ParquetBlock> blocks;
  std::vector<std::size_t> ends{0};  // block i has the rows from ends[i] to before ends[i + 1]
  std::mutex mutex;                  // protects `error`
  std::exception_ptr error;          // the first exception of a block

  std::size_t find(std::size_t row) const {
    return std::ranges::upper_bound(ends, row) - ends.begin() - 1;
  }
};

namespace {

using Kept = std::shared_ptr<ParquetStore::Blocks>;

// Calls set(i, column, place) for each row i of an SQL function's arguments. The cell of the row is
// at `place` of `column`.
template <class Set>
void set_cells(ParquetStore::Blocks& blocks, duckdb_data_chunk arguments, Set set) {
  const auto data = [&](idx_t argument) {
    return duckdb_vector_get_data(duckdb_data_chunk_get_vector(arguments, argument));
  };
  const auto* rows = static_cast<const std::int64_t*>(data(0));
  const auto* columns = static_cast<const std::int32_t*>(data(1));
  const idx_t count = duckdb_data_chunk_get_size(arguments);
  // Consecutive rows are mostly in the same block.
  for (idx_t i = 0; i < count;) {
    const std::size_t block = blocks.find(static_cast<std::size_t>(rows[i]));
    const ParquetStore::Rows found = blocks.blocks[block].rows();
    bool is_last_column = false;
    for (; i < count; ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      if (row < blocks.ends[block] || row >= blocks.ends[block + 1]) break;
      const auto column = static_cast<std::size_t>(columns[i]);
      is_last_column = column + 1 == found->columns.size();
      set(i, found->columns[column], row - blocks.ends[block]);
    }
    if (is_last_column) blocks.blocks[block].release();
  }
}

// Does the same. An exception ends the query.
template <class Set>
void for_each_cell(duckdb_function_info info, duckdb_data_chunk arguments, Set set) {
  ParquetStore::Blocks& blocks = *extra_info<Kept>(info);
  try {
    set_cells(blocks, arguments, set);
  } catch (...) {
    const std::lock_guard lock(blocks.mutex);
    if (!blocks.error) blocks.error = std::current_exception();
    duckdb_scalar_function_set_error(info, "the rows could not be made");
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

void ParquetStore::append(Rows rows) {
  if (rows->num_rows == 0) return;
  blocks_->ends.push_back(num_rows() + rows->num_rows);
  blocks_->blocks.emplace_back(std::move(rows));
}

void ParquetStore::append(std::size_t num_rows, std::function<Rows()> make) {
  if (num_rows == 0) return;
  blocks_->ends.push_back(this->num_rows() + num_rows);
  blocks_->blocks.emplace_back(std::move(make));
}

void ParquetStore::rethrow() const {
  const std::lock_guard lock(blocks_->mutex);
  if (blocks_->error) std::rethrow_exception(blocks_->error);
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
