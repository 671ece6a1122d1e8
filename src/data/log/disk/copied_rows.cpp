#include "data/log/disk/copied_rows.hpp"

#include "base/row_blocks.hpp"

namespace otss::internal {

TileMatrix copied_rows(const TileMatrix& matrix, std::span<const std::size_t> rows) {
  // Tiles are released when the copy has moved on by this many rows.
  constexpr std::size_t kRowsBetweenReleases = 32'768;
  const int columns = matrix.num_columns();
  TileMatrix copy(rows.size(), columns);
  for_row_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    std::size_t kept_from = rows[begin];  // tiles before this row have been released
    for (std::size_t i = begin; i < end; ++i) {
      for (int c = 0; c < columns; ++c) copy.at(i, c) = matrix.at(rows[i], c);
      matrix.check_tiles(rows[i] / kTileRows, 1);
      if (rows[i] < kept_from + kRowsBetweenReleases && i + 1 < end) continue;
      if (rows[i] >= kept_from) matrix.release_rows(kept_from, rows[i] + 1);
      kept_from = rows[i];
    }
  });
  return copy;
}

}  // namespace otss::internal
