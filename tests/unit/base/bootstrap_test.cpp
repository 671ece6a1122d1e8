#include "base/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(Bootstrap, OfAConstantIsThatConstant) {
  const std::vector<double> values(50, 2.0);
  const Interval interval = bootstrap_ratio(values, {});
  EXPECT_EQ(interval.lo, 2.0);
  EXPECT_EQ(interval.hi, 2.0);
}

// For many normal values the percentile interval is the textbook one, mean +- 1.96 sd / sqrt n; its
// ends wander by a few per cent of their distance with 5000 resamples.
TEST(Bootstrap, OfManyNormalValuesIsTheNormalInterval) {
  for (const std::size_t n : {400U, 20'000U}) {
    Rng rng(3);
    std::vector<double> values(n);
    double mean = 0;
    for (double& v : values) mean += (v = 1 + rng.normal()) / static_cast<double>(n);
    double variance = 0;
    for (const double v : values) variance += (v - mean) * (v - mean) / static_cast<double>(n);
    const double half = 1.96 * std::sqrt(variance / static_cast<double>(n));
    const Interval interval = bootstrap_ratio(values, {});
    EXPECT_NEAR(interval.lo, mean - half, 0.12 * half) << n;
    EXPECT_NEAR(interval.hi, mean + half, 0.12 * half) << n;
  }
}

TEST(Bootstrap, OfARatioWeighsUnitsByTheirWeights) {
  // Units of weight 3 and value 3 beside units of weight 1 and value 0: the ratio is 3/4.
  std::vector<double> values, weights;
  for (int i = 0; i < 300; ++i) {
    values.push_back(i % 2 == 0 ? 3 : 0);
    weights.push_back(i % 2 == 0 ? 3 : 1);
  }
  const Interval interval = bootstrap_ratio(values, weights);
  EXPECT_LT(interval.lo, 0.75);
  EXPECT_GT(interval.hi, 0.75);
  EXPECT_LT(interval.hi - interval.lo, 0.15);
}

TEST(Bootstrap, IsTheSameForTheSameSeed) {
  const std::vector<double> values{1, 4, 2, 8, 5, 7};
  EXPECT_EQ(bootstrap_ratio(values, {}).lo, bootstrap_ratio(values, {}).lo);
  EXPECT_EQ(bootstrap_ratio(values, {}).hi, bootstrap_ratio(values, {}).hi);
}

// Of normal values, the interval is about that of Student's t, even if there are few values.
TEST(BcaInterval, CoversTheMeanOfFewNormalValues) {
  constexpr int kTrials = 400;
  constexpr std::size_t kValues = 8;
  Rng rng(4);
  int covered = 0;
  int covered_by_percentiles = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(kValues);
    for (double& v : values) v = rng.normal();
    const BootstrapOptions options{.resamples = 1000};
    const Interval interval = bca_interval(values, options);
    covered += interval.lo <= 0 && 0 <= interval.hi ? 1 : 0;
    const Interval narrow = bootstrap_ratio(values, {}, options);
    covered_by_percentiles += narrow.lo <= 0 && 0 <= narrow.hi ? 1 : 0;
  }
  // Three standard errors of a share of 400 trials are 0.04; percentiles cover about 0.88.
  EXPECT_GT(covered, 0.90 * kTrials);
  EXPECT_LT(covered, 0.98 * kTrials);
  EXPECT_GT(covered, covered_by_percentiles);
}

TEST(BcaInterval, LeansToTheLongTailOfSkewedValues) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i == 0 ? 30 : i % 5);
  double mean = 0;
  for (const double v : values) mean += v / 40;
  const Interval interval = bca_interval(values);
  EXPECT_GT(interval.hi - mean, 1.3 * (mean - interval.lo));
}

TEST(BcaInterval, OfEqualValuesIsThisValue) {
  const Interval interval = bca_interval(std::vector<double>(6, 2.5));
  EXPECT_EQ(interval.lo, 2.5);
  EXPECT_EQ(interval.hi, 2.5);
}

}  // namespace
}  // namespace otss
