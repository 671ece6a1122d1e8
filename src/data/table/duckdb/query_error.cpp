#include "data/table/duckdb/query_error.hpp"

#include <fmt/core.h>

namespace otss::internal::duck {
namespace {

Error too_large(const SourceFiles& source, const QueryLimits& limits,
                const char* needs_or_returns) {
  return {ErrorCode::kFailed,
          fmt::format("--query on '{}' {} more than {} MB; simplify the query, or raise the limit "
                      "with --query-memory",
                      source.name, needs_or_returns, limits.megabytes)};
}

}  // namespace

Error query_error(const Failure& failure, const SourceFiles& source, const QueryLimits& limits) {
  if (failure.type() == DUCKDB_ERROR_PERMISSION) {
    return {ErrorCode::kUsage,
            fmt::format("--query: {1}; a query may read only the table t, which is '{0}', so write "
                        "FROM t",
                        source.name, failure.one_line())};
  }
  if (failure.type() == DUCKDB_ERROR_INTERRUPT) {
    return {ErrorCode::kFailed,
            fmt::format("--query on '{}' takes longer than {} seconds; simplify the query, or "
                        "raise the limit with --query-seconds",
                        source.name, limits.seconds)};
  }
  if (failure.type() == DUCKDB_ERROR_OUT_OF_MEMORY) return too_large(source, limits, "needs");
  // If a table does not exist, DuckDB's message suggests its own system tables. This part of the
  // message is cut off.
  const std::string reason = failure.one_line();
  if (const auto end = reason.find(" does not exist! "); end != std::string::npos) {
    return {
        ErrorCode::kUsage,
        fmt::format("--query on '{}': {} does not exist; the table is called t, so write FROM t",
                    source.name, reason.substr(0, end))};
  }
  return {ErrorCode::kUsage,
          fmt::format("--query on '{}': {}; correct the query", source.name, reason)};
}

Error result_too_large(const SourceFiles& source, const QueryLimits& limits) {
  return too_large(source, limits, "returns");
}

}  // namespace otss::internal::duck
