// A ChunkView presents a DuckDB chunk as a TableChunk. A number column is copied only if it has a
// missing value. Each thread needs a ChunkView of its own.
#pragma once

#include <duckdb.h>

#include <string_view>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal::duck {

// Every column of the chunks must be DOUBLE (kNumber) or VARCHAR (kText). The columns before
// `first_column` are left out.
class ChunkView {
 public:
  explicit ChunkView(const std::vector<ColumnKind>& kinds, std::size_t first_column = 0);

  // Returns the chunk as a TableChunk. `first_row` is the row number of its first row. The result
  // is valid until the next call, and only while `chunk` exists.
  const TableChunk& view(duckdb_data_chunk chunk, std::size_t first_row);
  // Does the same for the chunk that follows the chunk of the previous call.
  const TableChunk& view(duckdb_data_chunk chunk) { return view(chunk, rows_seen()); }

  std::size_t rows_seen() const { return view_.first_row + view_.num_rows; }

 private:
  std::span<const double> numbers(duckdb_vector vector, std::size_t column);
  std::span<const std::string_view> texts(duckdb_vector vector, std::size_t column);

  std::size_t first_column_;
  TableChunk view_;
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::string_view>> texts_;
};

}  // namespace otss::internal::duck
