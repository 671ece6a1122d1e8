// Reads a log whose rows are shared out over several processes.
#pragma once

#include <cstddef>

#include "otss/base/ranks.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {

// The rows of one rank. They are encoded as in a process that has all rows, to the bit.
struct RankedLog {
  LoggedData part;               // its fingerprint is that of the whole log
  std::size_t first_row = 0;     // the number of the first row of `part` in the whole log
  std::size_t num_all_rows = 0;  // of all ranks together
};

// Reads the rows of this rank from CSV or Parquet files. A rank has whole chunks of 8192 rows, so that the
// chunks are those of the whole log. Ranks tell each other what they know about their columns, so the
// encoder is that of the whole log. Groups, units and times are not supported.
RankedLog read_ranked_log(const TableSource& source, const Roles& roles, OutcomeKind outcome,
                          Ranks& ranks);

}  // namespace otss::internal
