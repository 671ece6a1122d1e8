#include "engine/linear_predictors.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/threads.hpp"
#include "data/log/disk/tile_loop.hpp"
#include "engine/tile_predictors.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {

void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta,
                       Mixed mixed, const std::function<bool(std::size_t)>& wanted) {
  assert(layout.num_contexts + layout.num_factors == features.num_columns());
  assert(theta.size() == layout.size() && eta.size() == features.num_rows());
  constexpr std::size_t kTilesPerTask = 64;
  const std::size_t num_tasks = (features.num_tiles() + kTilesPerTask - 1) / kTilesPerTask;
  TileLoop loop(features);
  parallel_for(num_tasks, num_threads, [&](std::size_t task) {
    const std::size_t begin = task * kTilesPerTask * kTileRows;
    const std::size_t end = std::min(begin + kTilesPerTask * kTileRows, features.num_rows());
    const auto is_wanted = [&](std::size_t i) { return !wanted || wanted(i); };
    std::vector<std::uint32_t> tiles;
    for (std::size_t i = begin; i < end; ++i) {
      const auto tile = static_cast<std::uint32_t>(i / kTileRows);
      if ((tiles.empty() || tiles.back() != tile) && is_wanted(i)) tiles.push_back(tile);
    }
    CacheLines of_tiles(lines_for(tiles.size() * kTileRows));
    const std::span<double> computed(of_tiles.empty() ? nullptr : of_tiles.front().lanes,
                                     tiles.size() * kTileRows);
    tile_predictors(features, layout, theta, tiles, computed, mixed);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      const std::size_t first = tiles[t] * kTileRows;
      for (std::size_t i = first; i < std::min(first + kTileRows, end); ++i) {
        if (is_wanted(i)) eta[i] = computed[t * kTileRows + i - first];
      }
    }
    const std::size_t first = task * kTilesPerTask;
    loop.finish(first, std::min(kTilesPerTask, features.num_tiles() - first));
  });
}

}  // namespace otss::internal
