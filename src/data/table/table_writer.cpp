#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/ranks/message.hpp"
#include "base/ranks/spool.hpp"
#include "base/threads.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

enum class OutputFormat { kCsv, kParquet, kJson, kServer };

OutputFormat output_format_of(const std::string& path) {
  if (is_database(path)) return OutputFormat::kServer;
  const std::string ending = lower_case(path);
  if (path.empty() || ending.ends_with(".csv")) return OutputFormat::kCsv;
  if (ending.ends_with(".parquet")) return OutputFormat::kParquet;
  if (ending.ends_with(".json")) return OutputFormat::kJson;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("'{}' has an unknown suffix; give a name that ends in .csv, .parquet or .json",
                  path));
}

std::unique_ptr<RowFormat> make_format(const std::string& path,
                                       const std::vector<ColumnInfo>& columns) {
  switch (output_format_of(path)) {
    case OutputFormat::kCsv: return make_csv_format();
    case OutputFormat::kParquet: return make_parquet_format();
    case OutputFormat::kJson: return make_json_format(columns);
    case OutputFormat::kServer: return make_server_format(columns);
  }
  return nullptr;
}

std::unique_ptr<TableSink> make_sink(const std::string& path,
                                     const std::vector<ColumnInfo>& columns, int threads,
                                     ExistingTable existing) {
  switch (output_format_of(path)) {
    case OutputFormat::kCsv: return make_csv_sink(path, columns);
    case OutputFormat::kParquet: return make_parquet_sink(path, columns, threads);
    case OutputFormat::kJson: return make_json_sink(path);
    case OutputFormat::kServer: return make_server_sink(path, columns, existing);
  }
  return nullptr;
}

// The message that brings rows to rank 0.
std::string message_of(const FormattedRows& rows) {
  MessageWriter writer;
  writer.put(rows.num_rows);
  writer.put(rows.infinite.has_value());
  writer.put(rows.infinite.value_or(FormattedRows::Cell{}));
  return std::move(writer).take() + rows.message();
}

std::shared_ptr<FormattedRows> rows_of(const std::string& message, const RowFormat& format) {
  MessageReader reader(message);
  const auto num_rows = reader.get<std::size_t>();
  const bool is_infinite = reader.get<bool>();
  const auto cell = reader.get<FormattedRows::Cell>();
  auto rows = format.received(std::string(reader.rest()));
  rows->num_rows = num_rows;
  if (is_infinite) rows->infinite = cell;
  return rows;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

bool has_types(const std::string& path) {
  const std::string ending = lower_case(path);
  return is_database(path) || ending.ends_with(".parquet") || ending.ends_with(".json");
}

struct TableWriter::Impl {
  std::vector<ColumnInfo> columns;
  std::unique_ptr<RowFormat> format;
  std::unique_ptr<TableSink> sink;  // null on ranks other than rank 0
  std::unique_ptr<Spool> spool;     // the rows of this rank, on ranks other than rank 0
  Ranks* ranks;                     // null if one process writes the table
  int threads = 1;

  std::size_t num_rows = 0;  // the number of rows written so far

  // Finds an infinite number. An infinity comes from an overflow, and programs that read the file
  // do not expect it. NaN is allowed and means missing.
  std::optional<FormattedRows::Cell> find_infinity(const TableChunk& chunk) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& numbers = chunk.columns[i].numbers;
      const auto found =
          std::ranges::find_if(numbers, [](double value) { return std::isinf(value); });
      if (found != numbers.end())
        return FormattedRows::Cell{i, static_cast<std::size_t>(found - numbers.begin())};
    }
    return std::nullopt;
  }

  // Throws an Error if a row has an infinite number. `first_row` is the number of the first row.
  void require_finite(const FormattedRows& rows, std::size_t first_row) const {
    if (!rows.infinite) return;
    throw Error(
        ErrorCode::kInput,
        fmt::format("column '{}' would be infinite in row {} of the output; check the "
                    "input tables for numbers that are far too large",
                    columns[rows.infinite->column].name, first_row + rows.infinite->row + 1));
  }
};

TableWriter::TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns,
                         int threads, ExistingTable existing, Ranks* ranks) {
  const bool has_file = ranks == nullptr || ranks->rank() == 0;
  impl_ =
      std::make_unique<Impl>(Impl{columns, make_format(path, columns),
                                  has_file ? make_sink(path, columns, threads, existing) : nullptr,
                                  has_file ? nullptr : std::make_unique<Spool>(), ranks, threads});
}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

TableWriter::Rows TableWriter::format(const TableChunk& chunk) const {
  assert(chunk.columns.size() == impl_->columns.size());
  if (impl_->sink) impl_->sink->help();
  const auto rows = impl_->format->format(chunk);
  rows->num_rows = chunk.num_rows;
  rows->infinite = impl_->find_infinity(chunk);
  return rows;
}

void TableWriter::write(const Rows& rows) {
  if (impl_->spool) {
    impl_->spool->add(message_of(*rows));
    return;
  }
  impl_->require_finite(*rows, impl_->num_rows);
  impl_->num_rows += rows->num_rows;
  impl_->sink->write(rows);
}

void TableWriter::write_parts(
    std::size_t num_rows, std::size_t part_rows,
    const std::function<Rows(std::size_t first, std::size_t count)>& make) {
  // This many parts are formatted at the same time.
  constexpr std::size_t kTogether = 64;
  std::vector<Rows> formatted(kTogether);
  for (std::size_t begin = 0; begin < num_rows; begin += kTogether * part_rows) {
    const std::size_t end = std::min(begin + kTogether * part_rows, num_rows);
    const std::size_t count = (end - begin + part_rows - 1) / part_rows;
    parallel_for(count, impl_->threads, [&](std::size_t i) {
      const std::size_t first = begin + i * part_rows;
      formatted[i] = make(first, std::min(part_rows, num_rows - first));
    });
    for (std::size_t i = 0; i < count; ++i) write(formatted[i]);
  }
}

void TableWriter::write(const TableChunk& chunk) { write(format(chunk)); }

void TableWriter::commit() {
  if (impl_->ranks != nullptr) {
    impl_->ranks->collect(
        [&] { return impl_->spool->next(); },
        [&](const std::string& message) { write(rows_of(message, *impl_->format)); });
  }
  if (impl_->sink) impl_->sink->commit();
}

}  // namespace otss
