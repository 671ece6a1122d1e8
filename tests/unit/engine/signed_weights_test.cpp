#include "engine/signed_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace otss {
namespace {

using namespace internal;

TEST(SignedWeights, CarryTheOutcomeInTheSign) {
  const std::vector<float> outcomes = {1, 0, 1}, weights = {2, 0.5F, 0};
  const SignedWeights rows(outcomes, weights);
  EXPECT_EQ(rows[0], 2.0F);
  EXPECT_EQ(rows[1], -0.5F);
  EXPECT_EQ(rows[2], 0.0F);
  EXPECT_EQ(rows.total(), 2.5);
  EXPECT_FALSE(rows.unit());
}

TEST(SignedWeights, AreUnitWithoutWeights) {
  const std::vector<float> outcomes = {1, 0, 0};
  const SignedWeights rows(outcomes);
  EXPECT_TRUE(rows.unit());
  EXPECT_EQ(rows.total(), 3);
}

TEST(SignedWeights, PadTheLastTileWithRowsThatDoNotCount) {
  const std::vector<float> outcomes(kTileRows + 1, 1.0F);
  const SignedWeights rows(outcomes);
  ASSERT_EQ(rows.num_tiles(), 2U);
  EXPECT_EQ(rows.tile(1)[0], 1.0F);
  for (std::size_t i = 1; i < kTileRows; ++i) EXPECT_EQ(rows.tile(1)[i], 0.0F);
}

TEST(SignedWeights, AreAlignedForTheWidestVectors) {
  const std::vector<float> outcomes(3 * kTileRows, 1.0F);
  const SignedWeights rows(outcomes);
  for (std::size_t tile = 0; tile < rows.num_tiles(); ++tile) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rows.tile(tile)) % 64, 0U);
  }
}

TEST(SignedWeights, LeaveOutTheRowsOfARestriction) {
  const std::vector<float> outcomes(2 * kTileRows, 0.0F);
  const SignedWeights all(outcomes);
  const SignedWeights second = all.restricted_to([](std::size_t row) { return row >= kTileRows; });
  EXPECT_TRUE(second.tile_is_empty(0));
  EXPECT_FALSE(second.tile_is_empty(1));
  EXPECT_EQ(second.total(), static_cast<double>(kTileRows));
  EXPECT_EQ(second[0], 0.0F);
  EXPECT_FALSE(std::signbit(second[0]));
  EXPECT_EQ(second[kTileRows], -1.0F);
  EXPECT_EQ(all.total(), static_cast<double>(2 * kTileRows)) << "the original is untouched";
}

TEST(SignedWeights, BecomeUnitWhenTheOthersAreLeftOut) {
  const std::vector<float> outcomes = {1, 0, 1}, weights = {1, 7, 1};
  const SignedWeights rows(outcomes, weights);
  EXPECT_TRUE(rows.restricted_to([](std::size_t row) { return row != 1; }).unit());
}

}  // namespace
}  // namespace otss
