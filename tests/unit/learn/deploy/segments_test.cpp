#include "learn/deploy/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

namespace otss {
namespace {

using namespace internal;

// Ten contexts: a number, and a region that is north in four of them.
LoggedData ten_contexts() {
  std::vector<double> age, factor, outcome;
  std::vector<std::string_view> region;
  for (int i = 0; i < 10; ++i) {
    age.push_back(20 + 5 * i);
    region.push_back(i < 4 ? "north" : "south");
    factor.push_back(i % 3);
    outcome.push_back(i % 2);
  }
  return make_log({{.name = "age", .numbers = age}, {.name = "region", .texts = region}},
                  {{.name = "price", .numbers = factor}}, outcome);
}

// Expert 1 has the north and expert 2 the south: the gate's scores are far apart.
SoftMixture by_region(const LoggedData& log) {
  const std::vector<std::string> names = log.encoder().encoded_names();
  std::vector<double> slopes(2 * names.size(), 0.0);
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (names[j] == "region=north") slopes[j] = 200;
  }
  return {LinearGate(static_cast<int>(names.size()), slopes, {0, 0}), 1, {1, 2}};
}

TEST(Segments, AreDescribedInTheLogsOwnWordsAndUnits) {
  const LoggedData log = ten_contexts();
  const std::vector<SegmentProfile> profiles = segment_profiles(log, by_region(log), 1);
  ASSERT_EQ(profiles.size(), 2);
  EXPECT_NEAR(profiles[0].share, 0.4, 1e-6);
  EXPECT_NEAR(profiles[1].share, 0.6, 1e-6);
  EXPECT_DOUBLE_EQ(profiles[0].members, 0.4);
  EXPECT_DOUBLE_EQ(profiles[1].members, 0.6);
  const double scale = log.encoder().factors[0].scale;
  EXPECT_NEAR(profiles[0].weights[0], 1 / scale, 1e-6);
  EXPECT_NEAR(profiles[1].weights[0], 2 / scale, 1e-6);
  ASSERT_EQ(profiles[0].contrasts.size(), 3);  // north, south and age
  const ContextContrast& region = profiles[0].contrasts[0];
  EXPECT_EQ(region.column, "region");
  EXPECT_NEAR(region.members, region.level == "north" ? 1 : 0, 1e-6);
  EXPECT_NEAR(region.everybody, region.level == "north" ? 0.4 : 0.6, 1e-6);
  // One standard deviation of the indicator is sqrt(.4 · .6).
  EXPECT_NEAR(std::abs(region.difference), 0.6 / std::sqrt(0.24), 1e-5);
  const ContextContrast& age = profiles[0].contrasts[2];
  EXPECT_EQ(age.column, "age");
  EXPECT_EQ(age.level, "");
  EXPECT_NEAR(age.members, 27.5, 1e-4);
  EXPECT_NEAR(age.everybody, 42.5, 1e-4);
  EXPECT_LT(age.difference, -0.9);
}

}  // namespace
}  // namespace otss
