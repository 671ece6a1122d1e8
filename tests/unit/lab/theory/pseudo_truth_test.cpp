#include "lab/theory/pseudo_truth.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/theory/hard_regions.hpp"
#include "lab/theory/rate_constants.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(PseudoTruth, IsWhatTheFitOfABinApproaches) {
  const RateLog log = draw_rate_log(7600, 18);
  const HardRegions fitted = fit_hard_regions(log, 2, LogisticFit::kMaximumLikelihood);
  const std::vector<RateWeights> expected = pseudo_truths(2, RateShare::kStraight);
  for (int m = 0; m < 2; ++m) {
    for (int j = 0; j < kRateFactors; ++j) {
      // A weight has a variance of about 13.5 / rows, and a bin has 2^17 rows: five standard errors.
      EXPECT_NEAR(fitted.weights[m][j], expected[m][j], 5 * std::sqrt(13.5 / 131072));
    }
  }
}

TEST(PseudoTruth, ErrsNoLessThanTheMeansOfItsBinsAndApproachesThem) {
  for (const RateShare form : {RateShare::kStraight, RateShare::kCurved}) {
    const double floor = rate_constants(form).floor;
    double last = INFINITY;
    for (const int regions : {2, 4, 8, 16}) {
      const double excess = regions * regions * pseudo_truth_error(regions, form) / floor - 1;
      if (form == RateShare::kStraight) {
        EXPECT_GE(excess, 0);
        EXPECT_LE(excess, last);
        last = excess;
      }
      if (regions == 16) {
        EXPECT_NEAR(excess, 0, 0.02);
      }
    }
  }
}

TEST(PseudoTruth, TheCompatibilityConstantBoundsTheErrorOfEveryNumberOfBins) {
  for (const RateShare form : {RateShare::kStraight, RateShare::kCurved}) {
    const double constant = compatibility_constant(8, form);
    for (int regions = 1; regions <= 8; ++regions)
      EXPECT_LE(pseudo_truth_error(regions, form), constant / (regions * regions) + 1e-12);
  }
  EXPECT_LT(compatibility_constant(8, RateShare::kStraight),
            1.5 * rate_constants(RateShare::kStraight).floor);
}

}  // namespace
}  // namespace otss
