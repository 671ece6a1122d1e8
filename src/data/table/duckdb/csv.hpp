// CSV as found in the wild. We read the header ourselves and tell DuckDB everything, so that a
// ragged row is an error about that row and not a different guess at the whole file.
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

// Reads the first line of every file; files that belong together must agree. A name given twice, or
// none, is an error.
CsvHeader read_csv_headers(Connection& connection, const SourceFiles& source);

// The files as one relation whose columns are all VARCHAR, with the characters of the file.
std::string csv_relation(const SourceFiles& source, const CsvHeader& header);

// What DuckDB's complaint means for the person who wrote the file.
Error csv_error(const Failure& failure, const SourceFiles& source);

}  // namespace otss::duck
