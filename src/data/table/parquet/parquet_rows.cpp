#include "data/table/parquet/parquet_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/ranks/message.hpp"

namespace otss::internal::parquet {
namespace {

// A row group is what one thread writes, and what one thread can read later. With a million rows, 16
// threads have two each, so that some are written to the disk while others are encoded.
constexpr std::size_t kMostRows = 32'768;
// A row group also ends after the row with which its texts have this many bytes.
constexpr std::size_t kManyTextBytes = std::size_t{16} << 20U;

}  // namespace

std::string_view ParquetRows::Column::text(std::size_t row) const {
  if (missing[row]) return {};
  const std::size_t begin = row == 0 ? 0 : ends[row - 1];
  return std::string_view(bytes).substr(begin, ends[row] - begin);
}

ParquetRows::ParquetRows(const TableChunk& chunk) : columns(chunk.columns.size()) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].numbers.assign(chunk.columns[i].numbers.begin(), chunk.columns[i].numbers.end());
    columns[i].ends.reserve(chunk.columns[i].texts.size());
    for (const std::string_view text : chunk.columns[i].texts) {
      columns[i].bytes += text;
      columns[i].ends.push_back(columns[i].bytes.size());
      columns[i].missing.push_back(text.data() == nullptr);
    }
  }
}

ParquetRows::ParquetRows(const std::string& message) {
  MessageReader reader(message);
  columns.resize(reader.get<std::size_t>());
  for (Column& column : columns) {
    reader.get(column.numbers);
    reader.get(column.bytes);
    reader.get(column.ends);
    for (const std::uint8_t missing : reader.get<std::vector<std::uint8_t>>())
      column.missing.push_back(missing != 0);
  }
}

std::string ParquetRows::message() const {
  MessageWriter writer;
  writer.put(columns.size());
  for (const Column& column : columns) {
    writer.put(column.numbers);
    writer.put(column.bytes);
    writer.put(column.ends);
    writer.put(std::vector<std::uint8_t>(column.missing.begin(), column.missing.end()));
  }
  return std::move(writer).take();
}

std::size_t ParquetRows::text_bytes_before(std::size_t row) const {
  std::size_t count = 0;
  for (const Column& column : columns) {
    if (row > 0 && !column.ends.empty()) count += column.ends[row - 1];
  }
  return count;
}

std::size_t RowGroupBuilder::rows_that_fit(const ParquetRows& rows, std::size_t first) const {
  const std::size_t count = std::min(rows.num_rows - first, kMostRows - group_.num_rows);
  const std::size_t before = rows.text_bytes_before(first);
  const auto is_full = [&](std::size_t end) {
    return text_bytes_ + rows.text_bytes_before(end) - before >= kManyTextBytes;
  };
  if (!is_full(first + count)) return count;
  std::size_t end = first + 1;
  while (!is_full(end)) ++end;
  return end - first;
}

std::vector<RowGroup> RowGroupBuilder::add(const std::shared_ptr<const ParquetRows>& rows) {
  std::vector<RowGroup> full;
  for (std::size_t first = 0; first < rows->num_rows;) {
    const std::size_t count = rows_that_fit(*rows, first);
    group_.parts.push_back({rows, first, count});
    group_.num_rows += count;
    text_bytes_ += rows->text_bytes_before(first + count) - rows->text_bytes_before(first);
    if (group_.num_rows == kMostRows || text_bytes_ >= kManyTextBytes) full.push_back(take_rest());
    first += count;
  }
  return full;
}

RowGroup RowGroupBuilder::take_rest() {
  text_bytes_ = 0;
  return std::exchange(group_, {});
}

}  // namespace otss::internal::parquet
