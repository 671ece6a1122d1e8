// This header collects a stream of chunks in a table in memory.
#pragma once

#include "otss/data/table.hpp"

namespace otss::internal {

// Appends the rows of the chunk to the table. The chunk must have the columns of the table, in the
// same order.
void append(const TableChunk& chunk, Table& table);

}  // namespace otss::internal
