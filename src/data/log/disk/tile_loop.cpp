#include "data/log/disk/tile_loop.hpp"

#include <algorithm>
#include <atomic>

namespace otss::internal {
namespace {

// Tiles are released in steps of this size: whole huge pages (2 MB), so that a loop maps none twice, and
// several of them, because every release interrupts the threads on all other cores.
constexpr std::size_t kReleaseStep = 8U << 20U;

}  // namespace

TileLoop::TileLoop(const TileMatrix& tiles)
    : tiles_(tiles), bytes_(tiles.num_tiles() * tiles.tile_size() * sizeof(float)) {
  if (tiles.file() == nullptr) return;
  for (std::size_t step = 0; step < bytes_; step += kReleaseStep)
    unfinished_.push_back(std::min(kReleaseStep, bytes_ - step));
}

void TileLoop::finish(std::size_t first, std::size_t count) {
  if (unfinished_.empty()) return;
  tiles_.check_tiles(first, count);
  const std::size_t tile_bytes = tiles_.tile_size() * sizeof(float);
  const std::size_t end = (first + count) * tile_bytes;
  for (std::size_t begin = first * tile_bytes; begin < end;) {
    const std::size_t step = begin / kReleaseStep;
    const std::size_t step_end = std::min((step + 1) * kReleaseStep, bytes_);
    const std::size_t finished = std::min(end, step_end) - begin;
    // The thread that finishes the last bytes of a step releases the step.
    if (std::atomic_ref(unfinished_[step]).fetch_sub(finished) == finished)
      tiles_.release_bytes(step * kReleaseStep, step_end);
    begin += finished;
  }
}

}  // namespace otss::internal
