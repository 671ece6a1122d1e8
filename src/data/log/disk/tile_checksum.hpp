// A checksum of a tile that is in a file, to notice a disk that returns other bytes than were written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace otss::internal {

// Returns a checksum of the values of a tile. Each of 8 lanes has Fletcher's two sums of every 8th
// value: the sum of the values' bits, and the sum of these sums, which depends on the order. So a
// checksum takes a fraction of the time in which a kernel uses the tile. The number of values must be a
// multiple of 8, as kTileRows is.
inline std::uint64_t tile_checksum(std::span<const float> values) {
  // Vectors that every x86-64 processor has; the compiler keeps larger ones in memory.
  constexpr std::size_t kLanes = 4;
  using Lanes = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));
  Lanes left{}, right{}, sum_of_left{}, sum_of_right{}, bits{};
  for (std::size_t first = 0; first < values.size(); first += 2 * kLanes) {
    std::memcpy(&bits, values.data() + first, sizeof(bits));
    left += bits;
    sum_of_left += left;
    std::memcpy(&bits, values.data() + first + kLanes, sizeof(bits));
    right += bits;
    sum_of_right += right;
  }
  std::uint64_t result = values.size();
  for (const Lanes& lanes : {left, right, sum_of_left, sum_of_right}) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;  // mixes the lanes
      result = (result ^ lanes[lane]) * kOdd;
      result ^= result >> 32U;
    }
  }
  return result;
}

}  // namespace otss::internal
