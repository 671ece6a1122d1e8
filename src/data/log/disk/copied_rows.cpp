#include "data/log/disk/copied_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/row_blocks.hpp"

namespace otss::internal {
namespace {

// Returns the numbers from `begin` to `end` in the order of the rows that they stand for.
std::vector<std::size_t> in_order_of_rows(std::span<const std::size_t> rows, std::size_t begin,
                                          std::size_t end) {
  std::vector<std::size_t> places(end - begin);
  std::iota(places.begin(), places.end(), begin);
  std::ranges::sort(places, {}, [&](std::size_t place) { return rows[place]; });
  return places;
}

}  // namespace

TileMatrix copied_rows(const TileMatrix& matrix, std::span<const std::size_t> rows) {
  // Tiles are released when the copy has moved on by this many rows.
  constexpr std::size_t kRowsBetweenReleases = 32'768;
  const int columns = matrix.num_columns();
  TileMatrix copy(rows.size(), columns);
  for_row_blocks(rows.size(), [&](std::size_t begin, std::size_t end) {
    const std::vector<std::size_t> places = in_order_of_rows(rows, begin, end);
    std::size_t kept_from = rows[places.front()];  // tiles before this row have been released
    for (const std::size_t i : places) {
      for (int c = 0; c < columns; ++c) copy.at(i, c) = matrix.at(rows[i], c);
      matrix.check_tiles(rows[i] / kTileRows, 1);
      if (rows[i] < kept_from + kRowsBetweenReleases && i != places.back()) continue;
      matrix.release_rows(kept_from, rows[i] + 1);
      kept_from = rows[i];
    }
  });
  return copy;
}

}  // namespace otss::internal
