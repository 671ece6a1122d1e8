// A TileLoop is a loop over all tiles of a matrix, which may be in a file. It checks the tiles that were
// used, and keeps only few of them in the memory of this process.
#pragma once

#include <cstddef>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

class TileLoop {
 public:
  // Refers to `tiles`, which must live longer.
  explicit TileLoop(const TileMatrix& tiles);

  // Call this function once for each tile, when it has been used. The tiles may come in any order, from
  // several threads. Throws Error(kIo) if a tile has changed (TileMatrix::check_tiles).
  void finish(std::size_t first, std::size_t count);

 private:
  const TileMatrix& tiles_;
  std::size_t bytes_;
  // How many bytes of each step are still to be used. There are no steps if the tiles are in memory.
  std::vector<std::size_t> unfinished_;
};

}  // namespace otss::internal
