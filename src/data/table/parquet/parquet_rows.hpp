// The rows of a Parquet file until they are encoded.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/table/table_sink.hpp"

namespace otss::internal::parquet {

// Consecutive rows of the file, copied from a chunk.
struct ParquetRows final : FormattedRows {
  struct Column {
    std::vector<double> numbers;  // used only by columns of numbers; a missing number is NaN
    // These are used only by columns of texts. Text i ends before byte ends[i] of `bytes` and
    // begins where the text before it ends.
    std::string bytes;
    std::vector<std::size_t> ends;
    std::vector<bool> missing;  // true for a missing text

    // A missing text has data() == nullptr.
    std::string_view text(std::size_t row) const;
  };
  std::vector<Column> columns;

  explicit ParquetRows(const TableChunk& chunk);
  explicit ParquetRows(const std::string& message);  // the inverse of message()
  std::string message() const override;

  // Returns the number of bytes of all texts in the rows before `row`.
  std::size_t text_bytes_before(std::size_t row) const;
};

// A row group: rows that are encoded together, column by column.
struct RowGroup {
  struct Part {
    std::shared_ptr<const ParquetRows> rows;
    std::size_t first = 0, count = 0;  // the rows of `rows` that belong to the group
  };
  std::vector<Part> parts;
  std::size_t num_rows = 0;

  // Calls use(numbers) for the numbers of each part of a column.
  template <class Use>
  void for_each_part(std::size_t column, Use use) const {
    for (const Part& part : parts)
      use(std::span(part.rows->columns[column].numbers).subspan(part.first, part.count));
  }
  // Calls use(text) for each text of a column.
  template <class Use>
  void for_each_text(std::size_t column, Use use) const {
    for (const Part& part : parts) {
      for (std::size_t row = part.first; row < part.first + part.count; ++row)
        use(part.rows->columns[column].text(row));
    }
  }
};

// Divides rows into row groups. The division depends only on the rows, not on how they arrive.
class RowGroupBuilder {
 public:
  // Adds rows behind those added before. Returns the groups that are full now.
  std::vector<RowGroup> add(const std::shared_ptr<const ParquetRows>& rows);
  RowGroup take_rest();  // the rows after the last full group

 private:
  std::size_t rows_that_fit(const ParquetRows& rows, std::size_t first) const;

  RowGroup group_;
  std::size_t text_bytes_ = 0;  // of the texts in group_
};

}  // namespace otss::internal::parquet
