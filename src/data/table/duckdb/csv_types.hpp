// What the columns of a CSV hold, judged by their values.
#pragma once

#include <string>
#include <vector>

#include "data/table/duckdb/connection.hpp"
#include "otss/data/table.hpp"

namespace otss::duck {

enum class Sample { kFirstRows, kAllRows };

// The SQL type that holds every value of each column: BIGINT, DOUBLE, BOOLEAN, TIMESTAMP or
// VARCHAR. Numbers written with a leading zero ("007") are codes, hence VARCHAR. Empty when the
// relation, whose columns are all VARCHAR, has no rows.
std::vector<std::string> infer_csv_types(Connection& connection, const std::string& relation,
                                         const std::vector<std::string>& names,
                                         const ReadingRules& rules, Sample sample);

}  // namespace otss::duck
