// The checksums of tiles in a file, and when a tile is checked again.
#include "data/log/disk/tile_seals.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace otss::internal {
namespace {

TEST(TileSeals, NoticeOneChangedValueWhereverItIs) {
  std::vector<float> values(128, 0.5F);
  TileSeals seals(2);
  seals.seal(1, values);
  for (float& value : values) {
    value = 0.25F;
    EXPECT_FALSE(seals.holds(1, values, 0));
    value = 0.5F;
  }
  EXPECT_TRUE(seals.holds(1, values, 0));
}

TEST(TileSeals, CheckATileAgainOnlyAfterTheDiskWasRead) {
  std::vector<float> values(128, 0.5F);
  TileSeals seals(1);
  seals.seal(0, values);
  EXPECT_TRUE(seals.holds(0, values, 7));
  values[3] = 0.25F;
  EXPECT_TRUE(seals.holds(0, values, 7));
  EXPECT_FALSE(seals.holds(0, values, 8));
}

TEST(TileSeals, CheckATileAlwaysIfReadsAreNotCounted) {
  std::vector<float> values(128, 0.5F);
  TileSeals seals(1);
  seals.seal(0, values);
  EXPECT_TRUE(seals.holds(0, values, kReadsNotCounted));
  values[3] = 0.25F;
  EXPECT_FALSE(seals.holds(0, values, kReadsNotCounted));
}

}  // namespace
}  // namespace otss::internal
