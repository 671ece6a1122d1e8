// The files of a source as something SQL can select from, and what went wrong when it could not.
#pragma once

#include <string>

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"

namespace otss::duck {

// Parquet and JSON bring their own types. (CSV does not: see csv_relation.)
std::string typed_relation(const SourceFiles& source);

// What DuckDB's complaint means for the person who made the files.
Error unreadable(const Failure& failure, const SourceFiles& source);

}  // namespace otss::duck
