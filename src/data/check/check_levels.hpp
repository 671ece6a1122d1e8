// Checks whether a value of a single column determines the outcome, or occurs in too few rows.
#pragma once

#include "data/check/usable_log.hpp"

namespace otss::internal {

// Checks for separation: a column, or one of its values, determines the outcome, so that the
// likelihood has no maximum at a finite weight.
void check_separation(const UsableLog& usable, const RawLog& log, Findings& findings);

// Checks for levels of text contexts that occur in few rows, and for values of contexts at which a
// factor does not vary.
void check_thin_levels(const UsableLog& usable, const RawLog& log, Findings& findings);

}  // namespace otss::internal
