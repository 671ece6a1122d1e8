// The output of a TableWriter: one implementation per file format.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

class TableSink {
 public:
  virtual ~TableSink() = default;
  virtual void write(const TableChunk& chunk) = 0;
  virtual void commit() = 0;
};

// For CSV and JSON, an empty path means standard output.
std::unique_ptr<TableSink> make_csv_sink(const std::string& path,
                                         const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_json_sink(const std::string& path,
                                          const std::vector<ColumnInfo>& columns);
std::unique_ptr<TableSink> make_parquet_sink(const std::string& path,
                                             const std::vector<ColumnInfo>& columns);

}  // namespace otss
