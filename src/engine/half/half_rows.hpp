// Contexts and factors in f16, the 16-bit numbers of IEEE 754, as a GPU stores them to read half of the
// bytes. f16 has 11 bits, so a number is rounded by at most 1/4096 of itself. Encoded columns have a
// standard deviation of about 1, so they need no scale: f16 holds numbers up to 65504.
//
// The rows are divided into groups of 32. In a group, one column is stored after the other. A warp of the
// GPU works on one group, which is one piece of memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "data/log/tile_matrix.hpp"

namespace otss::internal {

using HalfBits = std::uint16_t;
inline constexpr std::size_t kHalfGroupRows = 32;
inline constexpr float kLargestHalf = 65504;

// Returns the nearest f16 number; of two equally near ones, the one whose last bit is 0. A number below
// 2^-14 (6e-5) becomes 0. The number must not be larger than kLargestHalf.
inline HalfBits to_half(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13U) & 1U);
  const std::uint32_t half = (rounded >> 13U) - (112U << 10U);
  const std::uint32_t is_normal = magnitude >= (113U << 23U) ? 0xffffU : 0U;
  return static_cast<HalfBits>((bits >> 16U & 0x8000U) | (half & is_normal));
}

// Returns the number. Subnormal numbers, which to_half never returns, are read as 0.
inline float from_half(HalfBits half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t bits = magnitude < 0x400U ? 0U : (magnitude << 13U) + (112U << 23U);
  return std::bit_cast<float>(bits | static_cast<std::uint32_t>(half & 0x8000U) << 16U);
}

// The bytes begin … end - 1; both are multiples of the bytes of a group's column.
struct ByteRange {
  std::size_t begin, end;
};

// Writes a range of the bytes in which tiles are stored in f16, counted from the tile `first_tile` on.
// Throws Error(kInput) if a number is larger than kLargestHalf.
void write_half_rows(const TileMatrix& tiles, std::size_t first_tile, const ByteRange& range,
                     std::byte* to);

// Returns the numbers that remain when all numbers are stored in f16.
TileMatrix rounded_to_half(const TileMatrix& tiles);

}  // namespace otss::internal
