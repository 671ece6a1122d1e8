#include "data/log/disk/tile_seals.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>

#include "data/log/disk/tile_checksum.hpp"

namespace otss::internal {

std::uint64_t reads_from_disks() {
  static const bool counted = access("/proc/self/io", F_OK) == 0;
  rusage usage = {};
  if (!counted || getrusage(RUSAGE_SELF, &usage) != 0) return kReadsNotCounted;
  // Some file systems read without counting blocks. There the first page that is not in the page cache
  // is at least a major page fault.
  return static_cast<std::uint64_t>(usage.ru_inblock) + static_cast<std::uint64_t>(usage.ru_majflt);
}

void TileSeals::seal(std::size_t tile, std::span<const float> values) {
  checksums_[tile] = tile_checksum(values);
}

bool TileSeals::holds(std::size_t tile, std::span<const float> values, std::uint64_t reads) const {
  const std::atomic_ref checked_at(checked_at_[tile]);
  if (reads != kReadsNotCounted && checked_at.load(std::memory_order_relaxed) == reads) return true;
  if (tile_checksum(values) != checksums_[tile]) return false;
  checked_at.store(reads, std::memory_order_relaxed);
  return true;
}

}  // namespace otss::internal
