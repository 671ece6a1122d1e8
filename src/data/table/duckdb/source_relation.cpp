#include "data/table/duckdb/source_relation.hpp"

#include <fmt/core.h>

namespace otss::internal::duck {
namespace {

Error out_of_memory(const SourceFiles& source) {
  return {ErrorCode::kFailed,
          fmt::format("out of memory while reading '{}'; use fewer rows or columns, or a machine "
                      "with more memory",
                      source.name)};
}

}  // namespace

std::string typed_relation(const SourceFiles& source) {
  const std::string files = quoted_list(source.files);
  if (source.format == Format::kParquet) return fmt::format("read_parquet({})", files);
  return fmt::format("read_json({}{})", files, compression_sql(source.files));
}

Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header) {
  if (failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY) return out_of_memory(source);
  if (source.format == Format::kCsv) return csv_error(failure, source, header);
  // DuckDB's message about a damaged Parquet file describes DuckDB's decoder, which does not help
  // the user.
  if (source.format == Format::kParquet) {
    return {ErrorCode::kInput,
            fmt::format("'{}' cannot be read as Parquet: the file is damaged, cut off, or of "
                        "another format; write it again",
                        source.name)};
  }
  std::string reason = failure.one_line();
  while (reason.ends_with('.')) reason.pop_back();
  return {ErrorCode::kInput, fmt::format("'{}' cannot be read as JSON: {}; give a list of objects",
                                         source.name, reason)};
}

}  // namespace otss::internal::duck
