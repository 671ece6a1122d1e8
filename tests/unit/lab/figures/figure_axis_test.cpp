#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/figures/axis.hpp"

namespace otss::internal::figures {
namespace {

using testing::ElementsAre;

Axis axis_over(Scale scale, std::initializer_list<double> values, double length = 300) {
  Extent extent(scale);
  for (const double value : values) extent.include(value);
  return {extent, Direction::kAcross, 0, length};
}

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks())
    if (!tick.label.empty())
      texts.push_back(tick.label + (tick.exponent.empty() ? "" : "^" + tick.exponent));
  return texts;
}

TEST(Axis, TicksInStepsOfOneTwoAndFive) {
  EXPECT_THAT(labels(axis_over(Scale::kLinear, {0, 1})),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels(axis_over(Scale::kLinear, {-100, 110}, 150)), ElementsAre("−100", "0", "100"));
}

TEST(Axis, WritesVeryLargeAndVerySmallNumbersWithPowersOfTen) {
  EXPECT_THAT(labels(axis_over(Scale::kLinear, {0, 2e9}, 200)),
              ElementsAre("0", "1×10^9", "2×10^9"));
  EXPECT_THAT(labels(axis_over(Scale::kLinear, {0, 2e-7}, 200)),
              ElementsAre("0", "1×10^−7", "2×10^−7"));
}

TEST(Axis, TicksAtPowersOfTenWithMinorTicksBetween) {
  const Axis plain = axis_over(Scale::kLog, {0.01, 1});
  EXPECT_THAT(labels(plain), ElementsAre("0.01", "0.1", "1"));
  EXPECT_EQ(plain.ticks().size(), 20U);  // 0.009 is inside the air of the lower end
  EXPECT_THAT(labels(axis_over(Scale::kLog, {1e3, 1e5})), ElementsAre("10^3", "10^4", "10^5"));
}

TEST(Axis, LabelsSomePowersOfTenWhereThereAreMany) {
  const std::vector<std::string> texts = labels(axis_over(Scale::kLog, {1e-30, 1e30}));
  EXPECT_GE(texts.size(), 3U);
  EXPECT_LE(texts.size(), 8U);
}

TEST(Axis, LabelsMoreThanPowersOfTenWhereOneDecadeIsShown) {
  EXPECT_THAT(labels(axis_over(Scale::kLog, {0.03, 0.6})),
              ElementsAre("0.05", "0.1", "0.2", "0.5"));
  EXPECT_GE(labels(axis_over(Scale::kLog, {0.41, 0.47})).size(), 2U);
}

TEST(Axis, CountsOnlyValuesItCanShow) {
  const Axis axis = axis_over(Scale::kLog, {10, -1, 0, NAN, INFINITY, 1000});
  EXPECT_NEAR(axis.at(100), 150, 1e-9);
  EXPECT_EQ(axis.at(-1), 0);
}

TEST(Axis, HasLengthWhateverItShows) {
  EXPECT_NEAR(axis_over(Scale::kLinear, {5}).at(5), 150, 1e-9);
  EXPECT_NEAR(axis_over(Scale::kLinear, {0}).at(0), 150, 1e-9);
  EXPECT_NEAR(axis_over(Scale::kLog, {5}).at(5), 150, 1e-9);
  EXPECT_FALSE(labels(axis_over(Scale::kLinear, {})).empty());
  EXPECT_FALSE(labels(axis_over(Scale::kLinear, {-1e150, 1e150})).empty());
}

TEST(Axis, StartsAtZeroWhereZeroIsNear) {
  Extent near(Scale::kLinear);
  for (const double value : {0.2, 1.0}) near.include(value);
  near.start_at_zero_if_near();
  EXPECT_EQ(near.ends().lo, 0);

  Extent far(Scale::kLinear);
  for (const double value : {0.8, 1.0}) far.include(value);
  far.start_at_zero_if_near();
  EXPECT_GT(far.ends().lo, 0.7);
}

}  // namespace
}  // namespace otss::internal::figures
