// Brings the evaluated rows of several processes together.
#pragma once

#include "decide/evaluated_rows.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {

// Appends the rows of all other ranks to those of rank 0, in the order of the ranks. The result on
// rank 0 is that of one process that reads all rows, to the bit. All ranks must call this function.
void collect_rows(Ranks& ranks, EvaluatedRows& rows);

}  // namespace otss::internal
