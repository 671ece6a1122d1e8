#include "lab/theory/rates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/threads.hpp"
#include "lab/theory/rate_constants.hpp"
#include "lab/theory/rate_family.hpp"

namespace otss {
namespace {

using namespace internal;

struct MeanError {
  double mean = 0;
  double standard_error = 0;
};

// Over `seeds` logs of 2^log2_n rows.
std::array<MeanError, kRateMethods.size()> mean_errors(int seeds, int log2_n) {
  std::vector<RateErrors> errors(seeds);
  parallel_for(seeds, hardware_threads(),
               [&](std::size_t i) { errors[i] = rate_errors(7200 + i, log2_n); });
  std::array<MeanError, kRateMethods.size()> means;
  for (std::size_t m = 0; m < means.size(); ++m) {
    double squares = 0;
    for (const RateErrors& e : errors) means[m].mean += e[m] / seeds;
    for (const RateErrors& e : errors) squares += (e[m] - means[m].mean) * (e[m] - means[m].mean);
    means[m].standard_error = std::sqrt(squares / (seeds - 1.0) / seeds);
  }
  return means;
}

TEST(RateFamily, IsTheOneOfTheDesign) {
  const RateWeights at_zero = rate_weights(0);
  const RateWeights common = {0.5, 0.5, 0, -0.5};
  const RateWeights direction = {0.9, -0.9, 0.45, 0};
  for (int j = 0; j < kRateFactors; ++j)
    EXPECT_NEAR(at_zero[j], common[j] + (0.1 - 0.9) * direction[j], 1e-15);
  EXPECT_EQ(rate_regions(2), 2);
  EXPECT_EQ(rate_regions(1 << 10), 8);
  EXPECT_EQ(rate_regions(1 << 17), 41);
}

TEST(RateFamily, LogsOfDifferentSizesAreIndependentDraws) {
  const RateLog small = draw_rate_log(7200, 10);
  const RateLog large = draw_rate_log(7200, 11);
  EXPECT_EQ(small.num_rows(), 1024u);
  EXPECT_EQ(large.num_rows(), 2048u);
  EXPECT_NE(small.contexts[0], large.contexts[0]);
}

TEST(Rates, DependOnNothingButSeedAndSize) {
  EXPECT_EQ(rate_errors(7200, 10), rate_errors(7200, 10));
  EXPECT_NE(rate_errors(7200, 10), rate_errors(7201, 10));
}

TEST(Rates, MeetTheirConstantsToFirstOrder) {
  const RateConstants constants = rate_constants();
  const int log2_n = 13;
  const auto n = std::exp2(log2_n);
  const auto errors = mean_errors(48, log2_n);
  const double hard = expected_hard_error(constants, 1 << log2_n, rate_regions(1 << log2_n));
  // The straight truth is a limit of the gate in x: no floor to be seen, and one parameter less.
  const RateErrors expected = {hard, hard, constants.oracle_gate / n, constants.joint / n,
                               constants.joint / n};
  for (std::size_t m = 0; m < expected.size(); ++m) {
    // 4 % for what is of second order in 1/n (a bin has 512 rows).
    EXPECT_NEAR(errors[m].mean, expected[m], 4 * errors[m].standard_error + 0.04 * expected[m])
        << kRateMethods[m];
  }
}

TEST(RateConstants, AllExpertsCostTwiceAsManyParametersAndTheGateTwoMore) {
  const RateConstants constants = rate_constants();
  // With p(1 - p) = 1/4 everywhere a weight has variance 12: four of them 48. Less information,
  // more variance.
  EXPECT_GT(constants.variance, 48);
  EXPECT_LT(constants.variance, 60);
  EXPECT_NEAR(constants.oracle_gate / constants.variance, 2, 0.05);
  EXPECT_NEAR(constants.joint / constants.variance, 2.5, 0.1);
}

TEST(RateConstants, TheBestWidthHasTheSmallestHardConstant) {
  const RateConstants constants = rate_constants();
  const double best = best_region_width(constants);
  for (const double width : {0.9 * best, 1.1 * best, 0.8}) {
    EXPECT_LT(balanced_hard_constant(constants, best), balanced_hard_constant(constants, width));
  }
}

TEST(RateConstants, HardAndSoftMeetAtTheCrossover) {
  const RateConstants constants = rate_constants();
  const double hard = balanced_hard_constant(constants, best_region_width(constants));
  const double n = crossover(hard, constants.joint);
  EXPECT_NEAR(hard * std::pow(n, -2.0 / 3), constants.joint / n, 1e-9);
  EXPECT_GT(hard * std::pow(2 * n, -2.0 / 3), constants.joint / (2 * n));
}

}  // namespace
}  // namespace otss
