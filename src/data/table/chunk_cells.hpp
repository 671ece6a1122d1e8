// ChunkCells returns single cells of a table that is read in chunks. An invalid cell is an Error
// that names the file, the row and the column.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/number_limit.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {

class ChunkCells {
 public:
  // `requests` lists the columns that every chunk has. The reader and the requests must outlive
  // this object.
  ChunkCells(const TableReader& reader, const std::vector<ColumnRequest>& requests)
      : reader_(reader), requests_(requests) {}

  double finite(const TableChunk& chunk, std::size_t column, std::size_t row) const {
    const double value = chunk.columns[column].numbers[row];
    if (!(std::abs(value) <= kLargestNumber)) refuse_number(chunk, column, row);
    return value;
  }
  std::string_view text(const TableChunk& chunk, std::size_t column, std::size_t row) const;

  // Throws an Error for one cell. The message ends with the name of the column and then `problem`,
  // such as "must not be negative; correct the weight".
  [[noreturn]] void fail(const TableChunk& chunk, std::size_t column, std::size_t row,
                         const std::string& problem) const;

 private:
  [[noreturn]] void refuse_number(const TableChunk& chunk, std::size_t column,
                                  std::size_t row) const;

  const TableReader& reader_;
  const std::vector<ColumnRequest>& requests_;
};

}  // namespace otss::internal
