// The fingerprint of a log whose factors were counted from what was feasible.
#pragma once

#include <string>

#include "otss/data/factor_centers.hpp"
#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

// As fingerprint_table; `centers` as read_centered_log took them, null for any other log.
std::string fingerprint_centered_table(TableReader& reader, const Roles& roles,
                                       const FactorCenters* centers);

}  // namespace otss
