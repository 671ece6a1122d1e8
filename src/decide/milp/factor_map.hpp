// Makes a factor map from a table in memory.
#pragma once

#include <string>
#include <vector>

#include "otss/decide/milp.hpp"

namespace otss::internal {

// Returns the factor map in a table with the columns variable, factor (texts) and coefficient
// (numbers), in this order. Throws the Errors of read_factor_map, which name the table `source`.
FactorMap factor_map_of(const Table& table, const std::string& source,
                        const std::vector<std::string>& factors);

}  // namespace otss::internal
