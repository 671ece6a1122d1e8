#include "engine/half/half_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kGroupsPerTile = kTileRows / kHalfGroupRows;
using GroupColumn = std::array<HalfBits, kHalfGroupRows>;

// Returns the largest absolute value. Bits of positive numbers are ordered as the numbers are, and
// compilers compare integers in vectors.
float largest_of(const float* numbers) {
  std::int32_t largest = 0;
  for (std::size_t i = 0; i < kHalfGroupRows; ++i)
    largest = std::max(largest, std::bit_cast<std::int32_t>(numbers[i]) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

GroupColumn half_column(const float* numbers, std::size_t column) {
  if (const float largest = largest_of(numbers); largest > kLargestHalf)
    throw Error(ErrorCode::kInput,
                fmt::format("--storage f16: encoded column {} has the value {:g}, and f16 ends at "
                            "{}; use --storage f32",
                            column + 1, largest, kLargestHalf));
  GroupColumn halves;
  for (std::size_t i = 0; i < kHalfGroupRows; ++i) halves[i] = to_half(numbers[i]);
  return halves;
}

}  // namespace

void write_half_rows(const TileMatrix& tiles, std::size_t first_tile, const ByteRange& range,
                     std::byte* to) {
  const auto num_columns = static_cast<std::size_t>(tiles.num_columns());
  for (std::size_t begin = range.begin; begin < range.end; begin += sizeof(GroupColumn)) {
    const std::size_t group = begin / sizeof(GroupColumn) / num_columns;
    const std::size_t column = begin / sizeof(GroupColumn) % num_columns;
    const float* const numbers = tiles.tile(first_tile + group / kGroupsPerTile) +
                                 column * kTileRows + group % kGroupsPerTile * kHalfGroupRows;
    const GroupColumn halves = half_column(numbers, column);
    std::memcpy(to + (begin - range.begin), halves.data(), sizeof(halves));
  }
}

TileMatrix rounded_to_half(const TileMatrix& tiles) {
  TileMatrix rounded(tiles.num_rows(), tiles.num_columns());
  const std::size_t count = tiles.num_tiles() * tiles.tile_size();
  std::transform(tiles.tile(0), tiles.tile(0) + count, rounded.tile(0),
                 [](float number) { return from_half(to_half(number)); });
  return rounded;
}

}  // namespace otss::internal
