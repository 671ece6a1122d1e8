// This header holds the rows of a Parquet file until the file is written.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/table_sink.hpp"

namespace otss::internal::duck {

// Consecutive rows of the file, copied from a chunk.
struct ParquetRows final : FormattedRows {
  struct Column {
    std::vector<double> numbers;  // used only by columns of numbers; a missing number is NaN
    // These are used only by columns of texts. Text i ends before byte ends[i] of `bytes` and
    // begins where the text before it ends.
    std::string bytes;
    std::vector<std::size_t> ends;
    std::vector<bool> missing;  // true for a missing text
  };
  std::vector<Column> columns;

  explicit ParquetRows(const TableChunk& chunk);
  explicit ParquetRows(const std::string& message);  // the inverse of message()
  std::string message() const override;
};

// All rows of the file. SQL functions return their cells, so several threads of DuckDB can read the
// rows without a copy of them in a table of DuckDB.
class ParquetStore {
 public:
  ParquetStore();

  using Rows = std::shared_ptr<const ParquetRows>;
  void append(Rows rows);
  // Appends rows that `make` returns while SQL reads them. They are in memory only for as long as
  // SQL reads their columns one after the other, up to the last column.
  void append(std::size_t num_rows, std::function<Rows()> make);
  std::size_t num_rows() const;

  // Registers the SQL functions. No row may be appended while SQL calls them.
  void serve(Connection& connection) const;

  // If rows could not be made, throws what `make` threw.
  void rethrow() const;

  // Returns SQL for a cell: the value in column number `index` of the row whose number, counted
  // from 0, is the SQL expression `row`.
  static std::string cell_sql(const ColumnInfo& column, std::size_t index, const std::string& row);

  struct Blocks;

 private:
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace otss::internal::duck
