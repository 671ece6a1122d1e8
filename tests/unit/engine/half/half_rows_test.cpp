#include "engine/half/half_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

TEST(HalfRows, RoundToTheNearestNumberOfElevenBits) {
  Rng rng(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto number = static_cast<float>(rng.normal() * std::exp(3 * rng.normal()));
    if (std::abs(number) > kLargestHalf || std::abs(number) < 0x1p-14F) continue;
    const float half = from_half(to_half(number));
    EXPECT_LE(std::abs(half - number), std::abs(number) * 0x1p-11F);
    const double unit = std::exp2(std::ilogb(number) - 10);  // between neighbours
    EXPECT_LE(std::abs(half - number), 0.5 * unit);
    EXPECT_EQ(std::remainder(half, unit), 0);
  }
}

TEST(HalfRows, KeepNumbersOfElevenBits) {
  for (const float number : {0.0F, 1.0F, -1.0F, 2047.0F, -0.125F, 65504.0F, 0x1p-14F, 1.5F})
    EXPECT_EQ(from_half(to_half(number)), number);
  EXPECT_EQ(to_half(1.0F), 0x3c00);
  EXPECT_EQ(to_half(-2.0F), 0xc000);
}

TEST(HalfRows, TakeTheEvenNeighbourOfTwoEquallyNear) {
  EXPECT_EQ(from_half(to_half(2049.0F)), 2048.0F);
  EXPECT_EQ(from_half(to_half(2051.0F)), 2052.0F);
}

TEST(HalfRows, ReplaceTinyNumbersByZero) { EXPECT_EQ(from_half(to_half(-1e-5F)), 0.0F); }

TileMatrix numbered_tiles(std::size_t num_rows, int num_columns) {
  TileMatrix tiles(num_rows, num_columns);
  for (std::size_t row = 0; row < num_rows; ++row)
    for (int c = 0; c < num_columns; ++c)
      tiles.at(row, c) = static_cast<float>((row * 7 + static_cast<std::size_t>(c) * 3) % 2000);
  return tiles;
}

TEST(HalfRows, HaveTheColumnsOfThirtyTwoRowsOneAfterTheOther) {
  const TileMatrix tiles = numbered_tiles(300, 5);
  const std::size_t num_bytes = 2 * tiles.tile_size() * sizeof(HalfBits);
  // Two pieces that meet in the middle of a tile, as threads write them.
  const std::size_t middle = 11 * kHalfGroupRows * sizeof(HalfBits);
  std::vector<std::byte> bytes(num_bytes);
  write_half_rows(tiles, 1, {0, middle}, bytes.data());
  write_half_rows(tiles, 1, {middle, num_bytes}, bytes.data() + middle);
  for (std::size_t row = kTileRows; row < 300; ++row) {
    for (int c = 0; c < 5; ++c) {
      const std::size_t own = row - kTileRows;
      HalfBits half = 0;
      std::memcpy(&half, &bytes[((own / 32 * 5 + c) * 32 + own % 32) * sizeof(half)], sizeof(half));
      ASSERT_EQ(from_half(half), tiles.at(row, c)) << row << ' ' << c;
    }
  }
}

TEST(HalfRows, RefuseANumberThatTheyCannotHold) {
  TileMatrix tiles = numbered_tiles(128, 2);
  tiles.at(100, 1) = -70'000.0F;
  std::vector<std::byte> bytes(tiles.tile_size() * sizeof(HalfBits));
  try {
    write_half_rows(tiles, 0, {0, bytes.size()}, bytes.data());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("encoded column 2 has the value 70000"));
    EXPECT_THAT(error.what(), testing::HasSubstr("use --storage f32"));
  }
}

}  // namespace
}  // namespace otss::internal
