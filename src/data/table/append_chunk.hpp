// Collecting a stream of chunks into a table in memory.
#pragma once

#include "otss/data/table.hpp"

namespace otss {

// The chunk's columns are the table's, in order.
void append(const TableChunk& chunk, Table& table);

}  // namespace otss
