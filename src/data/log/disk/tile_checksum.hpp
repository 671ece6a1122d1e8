// A checksum of a tile that is in a file, to notice a disk that returns other bytes than were written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace otss::internal {

// Returns a checksum of the values of a tile. Each of 32 lanes has Fletcher's two sums of every 32nd
// value: the sum of the values' bits, and the sum of these sums, which depends on the order. The
// compiler makes vector additions of them, so a checksum takes a fraction of the time in which a
// kernel uses the tile. The number of values must be a multiple of 32, as kTileRows is.
inline std::uint64_t tile_checksum(std::span<const float> values) {
  constexpr std::size_t kLanes = 32;
  std::array<std::uint32_t, kLanes> sums{}, sums_of_sums{}, bits{};
  for (std::size_t first = 0; first < values.size(); first += kLanes) {
    std::memcpy(bits.data(), values.data() + first, sizeof(bits));
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += bits[lane];
      sums_of_sums[lane] += sums[lane];
    }
  }
  std::uint64_t result = values.size();
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;  // mixes the lanes
    result = (result ^ (std::uint64_t{sums_of_sums[lane]} << 32U | sums[lane])) * kOdd;
  }
  return result;
}

}  // namespace otss::internal
