// Reading of CSV files. We parse the header and give DuckDB the delimiter and the columns. If
// DuckDB detected them itself, a row with a missing field could change what it detects for the
// whole file; this way it is an error that names the row.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::duck {

struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;
};

// Reads the first line of every file. All files must have the same header. A missing or duplicate
// name is an error.
CsvHeader read_csv_headers(Connection& connection, const SourceFiles& source);

// SQL for all files as one relation. Its columns are all VARCHAR and hold the text of the file.
std::string csv_relation(const SourceFiles& source, const CsvHeader& header);

// Converts DuckDB's error to a message that says which row of the file is wrong and what to do.
Error csv_error(const Failure& failure, const SourceFiles& source);

}  // namespace otss::duck
