// The SQL that selects from the files of a source, and the error if the files cannot be read.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/csv.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::duck {

// Returns the SQL for Parquet and JSON, whose columns have types. (For CSV see csv_relation.)
std::string typed_relation(const SourceFiles& source);

// Converts DuckDB's error to an Error that names the file.
// `header` is that of a CSV file, if it is known.
Error unreadable(const Failure& failure, const SourceFiles& source, const CsvHeader& header = {});

}  // namespace otss::duck
