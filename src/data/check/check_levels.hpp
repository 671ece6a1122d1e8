// These checks report a value of a single column that determines the outcome, or that occurs in too
// few rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/check/usable_log.hpp"

namespace otss::internal {

// A level of a text context, and the number of its rows.
struct LevelRows {
  std::string level;
  std::size_t rows = 0;
};

// Checks for separation. Separation means that a column, or one of its values, determines the
// outcome. The likelihood then has no maximum at a finite weight.
void check_separation(const UsableLog& usable, const RawLog& log, Findings& findings);

// Returns false if check_separation() reports no column of this log, nor of a log that has further
// rows: each column is a number with many different values, and rows with both outcomes share a
// range of values.
bool may_separate(const UsableLog& usable, const RawLog& log);

// Reports the levels of text contexts that occur in few rows. Also reports the values of a context
// for which some factor does not vary.
void check_thin_levels(const UsableLog& usable, const RawLog& log, Findings& findings);

// Reports those of the given levels of a text context that occur in few rows.
void report_thin_levels(const std::string& context, const std::vector<LevelRows>& levels,
                        Findings& findings);

}  // namespace otss::internal
