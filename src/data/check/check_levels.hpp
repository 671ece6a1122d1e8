// Checks for values of a single column that determine the outcome, or that occur in too few rows.
#pragma once

#include "data/check/usable_log.hpp"

namespace otss {

// Separation: a column, or one of its values, determines the outcome, so that the likelihood has no
// maximum at a finite weight.
void check_separation(const UsableLog& usable, const RawLog& log, Findings& findings);

// Levels of text contexts with few rows; values of contexts for which a factor does not vary.
void check_thin_levels(const UsableLog& usable, const RawLog& log, Findings& findings);

}  // namespace otss
