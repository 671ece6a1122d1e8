// The fingerprint of a log whose factors were counted from what was feasible.
#pragma once

#include <string>

#include "otss/data/roles.hpp"
#include "otss/data/table.hpp"

namespace otss {

class FeasibleSet;

// As fingerprint_table. `feasible` as read_centered_log took it; one that is not listed by the
// column that the roles' factors are centred by is not looked at.
std::string fingerprint_centered_table(TableReader& reader, const Roles& roles,
                                       const FeasibleSet* feasible);

}  // namespace otss
