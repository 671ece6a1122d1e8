// A TableSink is the output of a TableWriter. There is one implementation per file format.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

// Consecutive rows of the output, in the form that a sink writes.
struct FormattedRows {
  struct Cell {
    std::size_t column, row;  // both counted from 0; rows from the first of these rows
  };

  std::size_t num_rows = 0;
  std::optional<Cell> infinite;  // the first infinite number of the first column that has one

  virtual ~FormattedRows() = default;
};

class TableSink {
 public:
  virtual ~TableSink() = default;
  // Returns the rows in the form that write() takes. Several threads may call format() at the same
  // time.
  virtual std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const = 0;
  // Writes rows that format() has returned. Rows are written in the order of the calls.
  virtual void write(const std::shared_ptr<const FormattedRows>& rows) = 0;
  // Returns true if the sink has write_later().
  virtual bool writes_later() const { return false; }
  // Takes rows that commit() will write. `make` returns what format() returns; several threads may
  // call it, and more than once.
  using Make = std::function<std::shared_ptr<const FormattedRows>()>;
  virtual void write_later(std::size_t /*num_rows*/, Make /*make*/) {}
  virtual void commit() = 0;
};

// The CSV and JSON sinks write to standard output if the path is empty.
std::unique_ptr<TableSink> make_csv_sink(const std::string& path,
                                         const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_json_sink(const std::string& path,
                                          const std::vector<ColumnInfo>& columns);
// commit() uses this many threads; 0 means all cores.
std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns, int threads);
// `address` is the address of a table of a PostgreSQL database.
std::unique_ptr<TableSink> make_server_sink(const std::string& address,
                                            const std::vector<ColumnInfo>& columns,
                                            ExistingTable existing);

}  // namespace otss::internal
