#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "data/table/letter_case.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal {
namespace {

std::unique_ptr<TableSink> make_sink(const std::string& path,
                                     const std::vector<ColumnInfo>& columns) {
  const std::string ending = lower_case(path);
  if (path.empty() || ending.ends_with(".csv")) return make_csv_sink(path, columns);
  if (ending.ends_with(".parquet")) return make_parquet_sink(path, columns);
  if (ending.ends_with(".json")) return make_json_sink(path, columns);
  throw Error(
      ErrorCode::kUsage,
      fmt::format("'{}' has an unknown suffix; give a name that ends in .csv, .parquet or .json",
                  path));
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

bool has_types(const std::string& path) {
  const std::string ending = lower_case(path);
  return ending.ends_with(".parquet") || ending.ends_with(".json");
}

struct TableWriter::Impl {
  std::vector<ColumnInfo> columns;
  std::unique_ptr<TableSink> sink;

  // Throws an Error if a number is infinite. An infinity comes from an overflow, and programs that
  // read the file do not expect it. NaN is allowed and means missing.
  void refuse_infinities(const TableChunk& chunk) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].kind != ColumnKind::kNumber) continue;
      const auto& numbers = chunk.columns[i].numbers;
      const auto found =
          std::ranges::find_if(numbers, [](double value) { return std::isinf(value); });
      if (found == numbers.end()) continue;
      throw Error(ErrorCode::kInput,
                  fmt::format("column '{}' would be infinite in row {} of the output; check the "
                              "input tables for numbers that are far too large",
                              columns[i].name, chunk.first_row + (found - numbers.begin()) + 1));
    }
  }
};

TableWriter::TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns)
    : impl_(std::make_unique<Impl>(Impl{columns, make_sink(path, columns)})) {}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::write(const TableChunk& chunk) {
  assert(chunk.columns.size() == impl_->columns.size());
  impl_->refuse_infinities(chunk);
  impl_->sink->write(chunk);
}

void TableWriter::commit() { impl_->sink->commit(); }

}  // namespace otss
