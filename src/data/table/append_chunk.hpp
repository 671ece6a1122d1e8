// Collects a stream of chunks in a table in memory.
#pragma once

#include "otss/data/table.hpp"

namespace otss {

// Precondition: the chunk has the same columns as the table, in the same order.
void append(const TableChunk& chunk, Table& table);

}  // namespace otss
