#include "data/table/chunk_cells.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"

namespace otss::internal {

void ChunkCells::refuse_number(const TableChunk& chunk, std::size_t column, std::size_t row) const {
  const double value = chunk.columns[column].numbers[row];
  if (!std::isfinite(value))
    fail(chunk, column, row, "is missing or not finite; leave the row out");
  fail(chunk, column, row,
       fmt::format("is {:g}, but numbers may be at most {:g}; correct the value", value,
                   kLargestNumber));
}

std::string_view ChunkCells::text(const TableChunk& chunk, std::size_t column,
                                  std::size_t row) const {
  const std::string_view value = chunk.columns[column].texts[row];
  if (value.data() == nullptr)
    fail(chunk, column, row, "is missing; fill in the value, or leave the row out");
  return value;
}

void ChunkCells::fail(const TableChunk& chunk, std::size_t column, std::size_t row,
                      const std::string& problem) const {
  throw Error(ErrorCode::kInput,
              fmt::format("{}: row {}: column '{}' {}", reader_.name(), chunk.first_row + row + 1,
                          requests_[column].name, problem));
}

}  // namespace otss::internal
