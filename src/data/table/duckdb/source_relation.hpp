// This header makes the SQL that reads the files of a source, and the error for files that cannot
// be read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"
#include "otss/data/reading_rules.hpp"

namespace otss::internal::duck {

// What the program must know to read Parquet files on several threads.
struct ParquetLayout {
  std::vector<std::size_t> first_rows;  // for each file, the number of rows in the files before it
  std::size_t num_rows = 0;             // the number of rows in all files together
  std::size_t num_row_groups = 0;       // the number of row groups in all files together
};
ParquetLayout parquet_layout(Connection& connection, const SourceFiles& source);
std::size_t count_parquet_rows(Connection& connection, const std::string& file);

// Lets the connection read remote files. This needs DuckDB's extension httpfs, which otss never
// downloads. Throws an Error that says what to do if the extension is not installed.
void enable_remote_files(Connection& connection, const SourceFiles& source);

// Returns the SQL that reads Parquet or JSON files, whose columns have types. (csv_relation returns
// the SQL for CSV files.)
std::string typed_relation(const SourceFiles& source);

// Returns the end of the error message for a text in a column of numbers: why the text is not a
// number, and what to do. `may_be_missing` is that of the ColumnRequest.
std::string not_a_number(const std::string& value, bool may_be_missing, Format format,
                         const ReadingRules& rules);

// Converts DuckDB's error to an Error that names the file. `header` is the header of a CSV file, if
// it is known.
Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header = {});

}  // namespace otss::internal::duck
