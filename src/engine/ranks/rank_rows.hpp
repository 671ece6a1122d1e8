// The rows of a log that several processes share. Rank 0 drives: it asks for sums, and the other ranks
// answer with those of their own rows.
#pragma once

#include <memory>

#include "data/log/ranks/ranked_log.hpp"
#include "engine/device_rows.hpp"

namespace otss::internal {

// Returns the rows of all ranks, for rank 0. Meanwhile all other ranks must call serve_rows(). The
// destructor of the result ends serve_rows() on the other ranks. `log` and `ranks` must live longer.
// If a GPU computes, the sum of a rank's rows counts as one chunk, so its bits depend on the number of ranks.
std::unique_ptr<Rows> make_rank_rows(const RankedLog& log, Ranks& ranks, const RowsDevice& by);

// Answers what rank 0 asks, until rank 0 destroys its Rows.
void serve_rows(const RankedLog& log, Ranks& ranks, const RowsDevice& by);

}  // namespace otss::internal
