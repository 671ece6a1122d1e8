#include "data/table/duckdb/source_relation.hpp"

#include <fmt/core.h>

namespace otss::duck {

std::string typed_relation(const SourceFiles& source) {
  const std::string files = quoted_list(source.files);
  if (source.format == Format::kParquet) return fmt::format("read_parquet({})", files);
  return fmt::format("read_json({}{})", files, compression_sql(source.files));
}

Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header) {
  if (source.format == Format::kCsv) return csv_error(failure, source, header);
  const char* format = source.format == Format::kParquet ? "Parquet" : "JSON";
  return {ErrorCode::kInput,
          fmt::format("'{}' cannot be read as {}: {}", source.name, format, failure.one_line())};
}

}  // namespace otss::duck
