// TileSeals has the checksum of each tile in a file, and knows when a tile must be checked again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace otss::internal {

// The number of reads on a system that does not count them.
inline constexpr std::uint64_t kReadsNotCounted = std::numeric_limits<std::uint64_t>::max();

// Returns a number that grows whenever this process reads from a disk. As long as the number stays the
// same, pages of files have only come from the system's page cache.
std::uint64_t reads_from_disks();

class TileSeals {
 public:
  TileSeals() = default;
  explicit TileSeals(std::size_t num_tiles)
      : checksums_(num_tiles), checked_at_(num_tiles, kReadsNotCounted) {}
  explicit TileSeals(std::vector<std::uint64_t> checksums)
      : checksums_(std::move(checksums)), checked_at_(checksums_.size(), kReadsNotCounted) {}

  bool empty() const { return checksums_.empty(); }
  std::span<const std::uint64_t> checksums() const { return checksums_; }

  // Remembers the checksum of a tile. Several threads may seal different tiles.
  void seal(std::size_t tile, std::span<const float> values);

  // Returns false if a tile has other values than when it was sealed. `reads` is what
  // reads_from_disks() returned before the values were looked at. A tile that was checked at the same
  // number of reads still has the page that was checked, so its values are not looked at again.
  bool holds(std::size_t tile, std::span<const float> values, std::uint64_t reads) const;

 private:
  std::vector<std::uint64_t> checksums_;
  // The number of reads when each tile was last checked. Several threads may check the same tile.
  mutable std::vector<std::uint64_t> checked_at_;
};

}  // namespace otss::internal
