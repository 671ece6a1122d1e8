// Makes overrides from a table in memory.
#pragma once

#include <string>

#include "otss/decide/milp.hpp"

namespace otss::internal {

// Returns the overrides in a table with the columns row, kind, name (texts) and value (numbers), in
// this order. Throws the Errors of read_milp_overrides, which name the table `source`.
MilpOverrides overrides_of(const Table& table, const std::string& source, const MilpPlan& plan);

}  // namespace otss::internal
