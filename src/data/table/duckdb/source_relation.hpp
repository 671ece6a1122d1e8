// This header makes the SQL that reads the files of a source, and the error for files that cannot
// be read.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::internal::duck {

// Returns the SQL that reads Parquet or JSON files, whose columns have types. (csv_relation returns
// the SQL for CSV files.)
std::string typed_relation(const SourceFiles& source);

// Converts DuckDB's error to an Error that names the file. `header` is the header of a CSV file, if
// it is known.
Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header = {});

}  // namespace otss::internal::duck
