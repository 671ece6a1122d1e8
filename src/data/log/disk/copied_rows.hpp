// Copies rows out of a matrix whose tiles may be in a file.
#pragma once

#include <cstddef>
#include <span>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

// Returns a copy, in memory, of the given rows in the given order. If the tiles are in a file, only
// few of them are in the memory of this process at any time.
TileMatrix copied_rows(const TileMatrix& matrix, std::span<const std::size_t> rows);

}  // namespace otss::internal
