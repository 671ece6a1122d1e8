// A ChunkTaker lets the threads of DuckDB hand over the rows that they have just read. DuckDB's
// streaming would first copy all rows into one queue, and one thread would take them from there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/duckdb/connection.hpp"

namespace otss::internal::duck {

// The number of columns that a ChunkTaker puts before the requested columns.
inline constexpr std::size_t kPlaceColumns = 2;

// Returns true if a column with this name hides one of these columns, so that the file cannot be
// scanned.
bool hides_places(std::string_view column);

// Reads Parquet files, because only for them DuckDB tells the place of each row.
class ChunkTaker {
 public:
  // Registers the SQL function that takes the rows.
  explicit ChunkTaker(Connection& connection);

  // Reads the relation and calls `consume` with the values of `columns`, a list of SQL expressions,
  // chunk by chunk. `first_rows` has, for each file, the number of rows in the files before it. The
  // second argument of `consume` is the row number of the chunk's first row in the whole table.
  // Several threads call `consume` at the same time, with chunks in any order. If `consume` throws,
  // reading ends and the first exception is thrown again.
  using Consume = std::function<void(duckdb_data_chunk, std::size_t first_row)>;
  void scan(const std::string& columns, const std::string& relation,
            const std::vector<std::size_t>& first_rows, const Consume& consume);

 private:
  struct State;

  Connection& connection_;
  std::shared_ptr<State> state_;
};

}  // namespace otss::internal::duck
