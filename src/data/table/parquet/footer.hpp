// The metadata at the end of a Parquet file.
#pragma once

#include <string>
#include <vector>

#include "data/table/parquet/column_chunk.hpp"
#include "data/table/parquet/stored_type.hpp"

namespace otss::internal::parquet {

struct StoredColumn {
  std::string name;
  StoredType type;
};

// Returns the last bytes of the file. `groups` has the facts of the column chunks, by row group and
// column.
std::string footer(const std::vector<StoredColumn>& columns,
                   const std::vector<std::vector<ChunkFacts>>& groups);

}  // namespace otss::internal::parquet
