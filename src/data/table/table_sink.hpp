// A RowFormat turns rows into the form of a file format, and a TableSink writes them. Together they
// are the output of a TableWriter. There is one implementation of each per file format.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
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

  // Returns the rows as a message to another process; RowFormat::received is the inverse. The
  // message has neither num_rows nor `infinite`.
  virtual std::string message() const = 0;
};

// Rows that are already the bytes of the output.
struct RowBytes final : FormattedRows {
  std::string bytes;

  std::string message() const override { return bytes; }
};

inline const std::string& bytes_of(const std::shared_ptr<const FormattedRows>& rows) {
  return static_cast<const RowBytes&>(*rows).bytes;
}

// Several threads may call its functions at the same time.
class RowFormat {
 public:
  virtual ~RowFormat() = default;
  // Returns the rows in the form that TableSink::write takes.
  virtual std::shared_ptr<FormattedRows> format(const TableChunk& chunk) const = 0;
  // Returns the rows of a message that another process made with the same format.
  virtual std::shared_ptr<FormattedRows> received(std::string message) const {
    auto rows = std::make_shared<RowBytes>();
    rows->bytes = std::move(message);
    return rows;
  }
};

class TableSink {
 public:
  virtual ~TableSink() = default;
  // Writes rows that the format has made. Rows are written in the order of the calls.
  virtual void write(const std::shared_ptr<const FormattedRows>& rows) = 0;
  // Does a part of the work for rows that were written, if there is any that other threads can do.
  // Several threads call this function. It may wait until other rows are in the file, so that not too
  // many rows are in memory.
  virtual void help() {}
  virtual void commit() = 0;
};

std::unique_ptr<RowFormat> make_csv_format();
std::unique_ptr<RowFormat> make_json_format(const std::vector<ColumnInfo>& columns);
std::unique_ptr<RowFormat> make_parquet_format();
std::unique_ptr<RowFormat> make_server_format(const std::vector<ColumnInfo>& columns);

// The CSV and JSON sinks write to standard output if the path is empty.
std::unique_ptr<TableSink> make_csv_sink(const std::string& path,
                                         const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_json_sink(const std::string& path);
// commit() uses this many threads for the last rows; 0 means all cores.
std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns, int threads);
// `address` is the address of a table of a PostgreSQL database.
std::unique_ptr<TableSink> make_server_sink(const std::string& address,
                                            const std::vector<ColumnInfo>& columns,
                                            ExistingTable existing);

}  // namespace otss::internal
