// This header reads CSV files. The code parses the header line itself and tells DuckDB the
// delimiter and the columns. So a row with a missing field is an Error that names the row. If
// DuckDB detected the delimiter and the columns by itself, one such row could change them for the
// whole file.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {

struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;
  // The number of lines before the header: 1 if the file begins with Excel's line "sep=;".
  int lines_before = 0;
};

// Reads the header of every file, which is its first line, or its second line after "sep=;". All
// files must have the same header. A missing or duplicate name is an error.
CsvHeader read_csv_headers(Connection& connection, const SourceFiles& source);

// Returns an SQL expression that reads these files as one relation. All columns of the relation are
// VARCHAR and hold the text of the file.
std::string csv_relation(const std::vector<std::string>& files, const CsvHeader& header);

// Converts DuckDB's error to an Error that says which row of the file is wrong and what to do.
// `header` is the header of the file, if it is known.
Error csv_error(const Failure& failure, const SourceFiles& source, const CsvHeader& header = {});

}  // namespace otss::internal::duck
