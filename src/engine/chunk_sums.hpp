// Sums over rows are made of the sums of chunks of consecutive rows, which are added in the order of
// the chunks. So a sum has the same bits for any number of threads, ranks or files.
#pragma once

#include <cstddef>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

inline constexpr std::size_t kChunkRows = 8192;
inline constexpr std::size_t kTilesPerChunk = kChunkRows / kTileRows;

// The sums of consecutive chunks. Each chunk has `size` numbers in `values`, one chunk after the
// other.
struct ChunkSums {
  std::size_t size = 0;
  std::vector<double> values;

  std::size_t num_chunks() const { return size == 0 ? 0 : values.size() / size; }

  // Adds the sums of all chunks, in their order, to `total`. If `total` is empty, it becomes the
  // sum. To add the chunks of several parts of a log, call this function for one part after the
  // other, in the order of the rows.
  void add_to(std::vector<double>& total) const {
    if (total.empty() && !values.empty()) total.assign(size, 0.0);
    for (std::size_t first = 0; first < values.size(); first += size) {
      for (std::size_t j = 0; j < size; ++j) total[j] += values[first + j];
    }
  }
  // Returns the sum of all chunks; empty if there is no chunk.
  std::vector<double> total() const {
    std::vector<double> sum;
    add_to(sum);
    return sum;
  }
};

}  // namespace otss::internal
