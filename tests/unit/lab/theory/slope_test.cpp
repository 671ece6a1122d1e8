#include "lab/theory/slope.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

// Errors 3 n^slope times exponential noise of mean one.
std::vector<RatePoint> power_law(double slope, int seeds, Rng& rng) {
  std::vector<RatePoint> points;
  for (int log2_n = 10; log2_n <= 17; ++log2_n) {
    RatePoint& point = points.emplace_back(RatePoint{.n = std::exp2(log2_n)});
    for (int i = 0; i < seeds; ++i)
      point.errors.push_back(3 * std::pow(point.n, slope) * rng.gamma(1));
  }
  return points;
}

TEST(Slope, OfAnExactPowerLawIsItsExponent) {
  std::vector<RatePoint> points;
  for (const double n : {100.0, 1000.0, 5000.0}) {
    const double error = 7 * std::pow(n, -2.0 / 3);
    points.push_back({n, {0.9 * error, 1.1 * error}});
  }
  const SlopeFit fit = fit_slope(points);
  EXPECT_NEAR(fit.slope, -2.0 / 3, 1e-12);
  EXPECT_NEAR(std::exp(fit.intercept), 7, 1e-10);
  EXPECT_TRUE(fit.contains(-2.0 / 3));
  EXPECT_FALSE(fit.contains(-1.0));
}

TEST(Slope, IntervalCoversTheExponentAsOftenAsItSays) {
  Rng rng(7102);
  int covered = 0;
  const int logs = 200;
  for (int i = 0; i < logs; ++i) {
    const std::vector<RatePoint> points = power_law(-1, 100, rng);
    covered += fit_slope(points, {.resamples = 400}).contains(-1) ? 1 : 0;
  }
  // 95 % of 200 is 190 with a standard deviation of 3.1; percentile intervals of skewed errors
  // cover a little less.
  EXPECT_GE(covered, 176);
}

TEST(Slope, APointMeasuredBadlyCountsForLittle) {
  Rng rng(7103);
  std::vector<RatePoint> points = power_law(-1, 400, rng);
  const double before = fit_slope(points).slope;
  RatePoint& worst = points.back();
  worst.errors = {1e-9, 100 * worst.mean()};
  EXPECT_NEAR(fit_slope(points).slope, before, 0.05);
}

TEST(Slope, NeedsTwoSeedsAndSaysSo) {
  const std::vector<RatePoint> points = {{10, {1}}, {20, {0.5}}};
  try {
    fit_slope(points);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the interval of a slope needs at least two seeds; use --seeds 2 or more");
  }
}

}  // namespace
}  // namespace otss
