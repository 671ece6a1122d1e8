#include "data/table/duckdb/source_relation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "data/table/number_format.hpp"

namespace otss::internal::duck {
namespace {

Error out_of_memory(const SourceFiles& source) {
  return {ErrorCode::kFailed,
          fmt::format("out of memory while reading '{}'; use fewer rows or columns, or a machine "
                      "with more memory",
                      source.name)};
}

// Returns the numbers of rows and of row groups of a file.
std::pair<std::size_t, std::size_t> parquet_counts(Connection& connection,
                                                   const std::string& file) {
  const auto counts = connection.first_row(
      fmt::format("SELECT CAST(num_rows AS VARCHAR), CAST(num_row_groups AS VARCHAR) FROM "
                  "parquet_file_metadata({})",
                  quoted_literal(file)));
  return {std::stoull(counts.value()[0].value()), std::stoull(counts.value()[1].value())};
}

}  // namespace

std::size_t count_parquet_rows(Connection& connection, const std::string& file) {
  return parquet_counts(connection, file).first;
}

ParquetLayout parquet_layout(Connection& connection, const SourceFiles& source) {
  ParquetLayout layout;
  for (const std::string& file : source.files) {
    const auto [rows, groups] = parquet_counts(connection, file);
    layout.first_rows.push_back(layout.num_rows);
    layout.num_rows += rows;
    layout.num_row_groups += groups;
  }
  return layout;
}

void enable_remote_files(Connection& connection, const SourceFiles& source) {
  try {
    connection.execute("LOAD httpfs");
  } catch (const Failure&) {
    throw Error(
        ErrorCode::kFailed,
        fmt::format("'{}' is not on this machine; reading it needs the extension httpfs of DuckDB "
                    "{}, which is not installed for this user; install it (docs/howto.md, Object "
                    "storage), or copy the file to this machine",
                    source.name, duckdb_library_version()));
  }
}

std::string typed_relation(const SourceFiles& source) {
  const std::string files = quoted_list(source.files);
  if (source.format == Format::kParquet) return fmt::format("read_parquet({})", files);
  return fmt::format("read_json({}{})", files, compression_sql(source.files));
}

std::string not_a_number(const std::string& value, bool may_be_missing, Format format,
                         const ReadingRules& rules) {
  const char decimal = rules.decimal.value_or('.');
  const char other = decimal == '.' ? ',' : '.';
  if (format == Format::kCsv && plain_number(value, other)) {
    return fmt::format(
        "this value is not a number with the decimal sign '{}'; give --decimal {} if the table "
        "is written with '{}'",
        decimal, other, other);
  }
  std::string problem = "this value is not a number; correct the value, or leave the column out";
  if (may_be_missing)
    problem += fmt::format("; if it means a missing value, give --missing '{}'", value);
  return problem;
}

Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header) {
  if (failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY) return out_of_memory(source);
  if (source.format == Format::kCsv) return csv_error(failure, source, header);
  // DuckDB's message about a damaged Parquet file describes DuckDB's decoder, which does not help
  // the user.
  if (source.is_remote) {
    return {ErrorCode::kIo,
            fmt::format("'{}' cannot be read: {}; check the address and the secret of DuckDB for "
                        "this store, or copy the file to this machine",
                        source.name, failure.one_line())};
  }
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
