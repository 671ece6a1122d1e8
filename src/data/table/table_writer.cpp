#include <fmt/core.h>

#include <cassert>

#include "data/table/letter_case.hpp"
#include "data/table/table_sink.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss {
namespace {

std::unique_ptr<TableSink> make_sink(const std::string& path,
                                     const std::vector<ColumnInfo>& columns) {
  const std::string ending = lower_case(path);
  if (path.empty() || ending.ends_with(".csv")) return make_csv_sink(path, columns);
  if (ending.ends_with(".parquet")) return make_parquet_sink(path, columns);
  if (ending.ends_with(".json")) return make_json_sink(path, columns);
  throw Error(ErrorCode::kUsage,
              fmt::format("'{}' has an unknown suffix; end it in .csv, .parquet or .json", path));
}

}  // namespace

bool has_types(const std::string& path) {
  const std::string ending = lower_case(path);
  return ending.ends_with(".parquet") || ending.ends_with(".json");
}

struct TableWriter::Impl {
  std::size_t num_columns;
  std::unique_ptr<TableSink> sink;
};

TableWriter::TableWriter(const std::string& path, const std::vector<ColumnInfo>& columns)
    : impl_(std::make_unique<Impl>(Impl{columns.size(), make_sink(path, columns)})) {}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::write(const TableChunk& chunk) {
  assert(chunk.columns.size() == impl_->num_columns);
  impl_->sink->write(chunk);
}

void TableWriter::commit() { impl_->sink->commit(); }

}  // namespace otss
