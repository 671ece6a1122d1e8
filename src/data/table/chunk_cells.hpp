// Single cells of a table that is read in chunks; one that will not do is an error naming the file,
// the row and the column.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

class ChunkCells {
 public:
  // `requests`: the columns of every chunk. Both must outlive it.
  ChunkCells(const TableReader& reader, const std::vector<ColumnRequest>& requests)
      : reader_(reader), requests_(requests) {}

  double finite(const TableChunk& chunk, std::size_t column, std::size_t row) const;
  std::string_view text(const TableChunk& chunk, std::size_t column, std::size_t row) const;

  // `problem` goes on from the column's name: "must not be negative".
  [[noreturn]] void fail(const TableChunk& chunk, std::size_t column, std::size_t row,
                         const std::string& problem) const;

 private:
  const TableReader& reader_;
  const std::vector<ColumnRequest>& requests_;
};

}  // namespace otss
