// This header infers the types of CSV columns from their values.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::internal::duck {

enum class Sample { kFirstRows, kAllRows };

// The "type" of a column whose values are all missing.
inline constexpr const char* kNoValues = "no values";

// Returns, for each column, the SQL type that fits all its values: BIGINT, DOUBLE, BOOLEAN,
// TIMESTAMP or VARCHAR; or kNoValues. A number with a leading zero ("007") is a code, so its column is VARCHAR.
// The columns of `relation` must all be VARCHAR. The result is empty if the relation has no rows.
std::vector<std::string> infer_csv_types(Connection& connection, const std::string& relation,
                                         const std::vector<std::string>& names,
                                         const ReadingRules& rules, Sample sample);

}  // namespace otss::internal::duck
