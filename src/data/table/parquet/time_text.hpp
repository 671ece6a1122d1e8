// Reads dates and times as DuckDB writes them: "2026-04-03", "2026-04-03 14:30:00.25+00",
// "0044-03-15 (BC)", "infinity".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace otss::internal::parquet {

// Returns the number of days since 1970-01-01.
std::optional<std::int32_t> parse_days(std::string_view text);

// Returns the number of microseconds, or nanoseconds, since 1970-01-01 00:00. If `is_utc` is true,
// the text ends with the difference from UTC, such as +02 or -03:30.
std::optional<std::int64_t> parse_time(std::string_view text, bool is_nanos, bool is_utc);

}  // namespace otss::internal::parquet
