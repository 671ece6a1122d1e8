// A TableSink is the output of a TableWriter. There is one implementation per file format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss::internal {

class TableSink {
 public:
  virtual ~TableSink() = default;
  virtual void write(const TableChunk& chunk) = 0;
  virtual void commit() = 0;
};

// The CSV and JSON sinks write to standard output if the path is empty.
std::unique_ptr<TableSink> make_csv_sink(const std::string& path,
                                         const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_json_sink(const std::string& path,
                                          const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns);

}  // namespace otss::internal
