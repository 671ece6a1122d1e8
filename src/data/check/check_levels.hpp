// Values of single columns that decide the outcome alone, or that too few rows have.
#pragma once

#include "data/check/usable_log.hpp"

namespace otss {

// A column, or one value of it, with which the outcome never varies: the likelihood has no maximum
// at finite weights (separation).
void check_separation(const UsableLog& usable, const RawLog& log, Findings& findings);

// Levels of text contexts that few rows have; values of contexts for which a factor does not vary.
void check_thin_levels(const UsableLog& usable, const RawLog& log, Findings& findings);

}  // namespace otss
