#include "engine/linear_predictors.hpp"

#include <algorithm>
#include <cassert>

#include "base/threads.hpp"
#include "engine/mixture_row.hpp"

namespace otss::internal {

void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta,
                       Mixed mixed, const std::function<bool(std::size_t)>& wanted) {
  assert(layout.num_contexts + layout.num_factors == features.num_columns());
  assert(theta.size() == layout.size() && eta.size() == features.num_rows());
  constexpr std::size_t kTilesPerTask = 64;
  const std::size_t num_tasks = (features.num_tiles() + kTilesPerTask - 1) / kTilesPerTask;
  parallel_for(num_tasks, num_threads, [&](std::size_t task) {
    MixtureRow row(layout, theta, mixed);
    const std::size_t begin = task * kTilesPerTask * kTileRows;
    const std::size_t end = std::min(begin + kTilesPerTask * kTileRows, features.num_rows());
    for (std::size_t i = begin; i < end; ++i) {
      if (wanted && !wanted(i)) continue;
      row.evaluate(features.tile(i / kTileRows) + i % kTileRows);
      eta[i] = row.eta();
    }
  });
}

}  // namespace otss::internal
