#include "data/table/duckdb/shares/row_selection.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "data/table/duckdb/source_relation.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {
namespace {

std::string rows_of_parquet(const std::string& file, const RowRange& rows,
                            std::size_t num_file_rows) {
  // A filter costs time in every row, and most files of a rank are read as a whole.
  if (rows.first == 0 && rows.end == num_file_rows)
    return fmt::format("SELECT * FROM read_parquet({})", quoted_literal(file));
  return fmt::format(
      "SELECT * EXCLUDE (file_row_number) FROM read_parquet({}, file_row_number = true) WHERE "
      "file_row_number >= {} AND file_row_number < {}",
      quoted_literal(file), rows.first, rows.end);
}

// Returns the rows with the columns that ChunkTaker reads. DuckDB applies the condition while it reads
// the file, so a chunk still has consecutive rows; an operator of its own would join chunks.
std::string rows_with_places(const std::string& file, std::size_t number, const RowRange& rows,
                             std::size_t num_file_rows) {
  std::string sql = fmt::format(
      "SELECT *, CAST({} AS UBIGINT) AS file_index FROM read_parquet({}, file_row_number = true)",
      number, quoted_literal(file));
  if (rows.first == 0 && rows.end == num_file_rows) return sql;
  return sql +
         fmt::format(" WHERE file_row_number >= {} AND file_row_number < {}", rows.first, rows.end);
}

std::size_t count_csv_rows(Connection& connection, const std::string& file,
                           const CsvHeader& header) {
  const auto count = connection.first_row(
      fmt::format("SELECT CAST(count(*) AS VARCHAR) FROM {}", csv_relation({file}, header)));
  return std::stoull(count.value()[0].value());
}

// Returns the number of the first row of each file, and then the number of all rows.
std::vector<std::size_t> count_file_rows(Connection& connection, const SourceFiles& source,
                                         const CsvHeader& header, Ranks& ranks) {
  std::vector<std::uint64_t> counts(source.files.size(), 0);
  for (auto i = static_cast<std::size_t>(ranks.rank()); i < counts.size(); i += ranks.size()) {
    counts[i] = source.format == Format::kParquet
                    ? count_parquet_rows(connection, source.files[i])
                    : count_csv_rows(connection, source.files[i], header);
  }
  std::vector<std::size_t> begins{0};
  for (const std::uint64_t count : summed_counts(ranks, counts))
    begins.push_back(begins.back() + count);
  return begins;
}

}  // namespace

void require_shareable(const TableSource& table, const SourceFiles& source) {
  const bool is_file = source.format == Format::kCsv || source.format == Format::kParquet;
  if (is_file && table.query.empty() && !source.spool && !source.is_remote) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}': several ranks can share only CSV and Parquet files, without "
                          "--query; write the table to such files, or use otss without MPI",
                          source.name));
}

TableChunk RowSelection::within(const TableChunk& chunk) const {
  const std::size_t end = chunk.first_row + chunk.num_rows;
  const std::size_t first = std::clamp(rows_.first, chunk.first_row, end);
  TableChunk result{first, std::clamp(rows_.end, first, end) - first, chunk.columns};
  if (result.num_rows == chunk.num_rows) return result;
  const std::size_t skipped = first - chunk.first_row;
  for (ColumnChunk& column : result.columns) {
    if (!column.numbers.empty()) column.numbers = column.numbers.subspan(skipped, result.num_rows);
    if (!column.texts.empty()) column.texts = column.texts.subspan(skipped, result.num_rows);
  }
  return result;
}

RowShare RowSelection::share(Connection& connection, const SourceFiles& source,
                             const CsvHeader& header, std::size_t unit, Ranks& ranks) {
  file_rows_ = count_file_rows(connection, source, header, ranks);
  const std::size_t num_rows = file_rows_.back();
  const std::size_t units = (num_rows + unit - 1) / unit;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto size = static_cast<std::size_t>(ranks.size());
  if (size > units)
    throw Error(
        ErrorCode::kUsage,
        fmt::format("'{}': {} ranks cannot share {} rows, because a rank needs at least {}; "
                    "use at most {} ranks",
                    source.name, size, num_rows, unit, units));
  read_only({rank * units / size * unit, std::min(num_rows, (rank + 1) * units / size * unit)},
            source, header);
  return {rows_, num_rows};
}

void RowSelection::read_only(const RowRange& rows, const SourceFiles& source,
                             const CsvHeader& header) {
  rows_ = rows;
  relation_ = whole_;
  first_row_ = 0;
  if (rows.is_whole()) return;
  std::vector<std::string> needed;
  std::string selects, with_places;
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    const std::size_t begin = file_rows_[i], end = file_rows_[i + 1];
    if (rows.first >= end || rows.end <= begin) continue;
    const RowRange in_file{std::max(rows.first, begin) - begin, std::min(rows.end, end) - begin};
    if (needed.empty()) first_row_ = source.format == Format::kCsv ? begin : begin + in_file.first;
    needed.push_back(source.files[i]);
    const std::string joined = selects.empty() ? "" : " UNION ALL ";
    selects += joined + rows_of_parquet(needed.back(), in_file, end - begin);
    with_places += joined + rows_with_places(needed.back(), i, in_file, end - begin);
  }
  if (source.format == Format::kParquet) {
    relation_ = fmt::format("({})", selects);
    with_places_ = fmt::format("({})", with_places);
    return;
  }
  relation_ = csv_relation(needed, header);
  // DuckDB keeps the rows of a limit in memory, so only few rows are limited in this way.
  constexpr std::size_t kFewRows = 10'000;
  if (const std::size_t count = rows.end - first_row_; count <= kFewRows)
    relation_ = fmt::format("(SELECT * FROM {} LIMIT {})", relation_, count);
}

}  // namespace otss::internal::duck
