// This header makes the errors for a user's SQL (--query) that fails.
#pragma once

#include "data/table/duckdb/connection.hpp"
#include "data/table/duckdb/source_files.hpp"
#include "otss/base/error.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

// Converts DuckDB's error to an Error that says what is wrong with the query and what to do.
Error query_error(const Failure& failure, const SourceFiles& source, const QueryLimits& limits);

// Returns the error for a query whose result is larger than the limit.
Error result_too_large(const SourceFiles& source, const QueryLimits& limits);

}  // namespace otss::internal::duck
