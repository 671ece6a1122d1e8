#include "base/clustered_interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/student.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(ClusteredInterval, OfIndependentRowsIsThatOfAMean) {
  const std::vector<double> values{1, 2, 4, 9};
  const Bounds bounds = clustered_mean_interval(values, {}, 0.9);
  // Mean 4, variance (9 + 4 + 0 + 25) / 3, three degrees of freedom.
  const double half = student_quantile(0.95, 3) * std::sqrt(38.0 / 3 / 4);
  EXPECT_NEAR(bounds.lo, 4 - half, 1e-12);
  EXPECT_NEAR(bounds.hi, 4 + half, 1e-12);
}

TEST(ClusteredInterval, RepeatedRowsOfAUnitAddNoEvidence) {
  const std::vector<double> once{1, 2, 4, 9};
  std::vector<double> thrice;
  std::vector<std::uint32_t> units;
  for (std::uint32_t unit = 0; unit < 4; ++unit) {
    for (int copy = 0; copy < 3; ++copy) {
      thrice.push_back(once[unit]);
      units.push_back(unit);
    }
  }
  const Bounds expected = clustered_mean_interval(once, {}, 0.9);
  const Bounds bounds = clustered_mean_interval(thrice, units, 0.9);
  EXPECT_NEAR(bounds.lo, expected.lo, 1e-12);
  EXPECT_NEAR(bounds.hi, expected.hi, 1e-12);
  EXPECT_GT(clustered_mean_interval(thrice, {}, 0.9).lo, bounds.lo);
}

TEST(ClusteredInterval, OfOneUnitIsUndefined) {
  const std::vector<double> values{1, 2};
  const std::vector<std::uint32_t> units{0, 0};
  EXPECT_TRUE(std::isnan(clustered_mean_interval(values, units, 0.9).lo));
}

}  // namespace
}  // namespace otss
