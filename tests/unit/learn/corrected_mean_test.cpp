#include "learn/corrected_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/student.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(CorrectedMean, AddsTheSharedRowsToTheVariance) {
  const std::vector<double> per_split{1, 3, 5};
  const CorrectedMean result = corrected_mean(per_split, 0.25);
  EXPECT_DOUBLE_EQ(result.mean, 3);
  // The variance between splits is 4; without shared rows its mean would have a variance of 4 / 3.
  EXPECT_DOUBLE_EQ(result.standard_error, std::sqrt(4 * (1.0 / 3 + 0.25)));
  const double half = student_quantile(0.975, 2) * result.standard_error;
  EXPECT_NEAR(result.interval.lo, 3 - half, 1e-12);
  EXPECT_NEAR(result.interval.hi, 3 + half, 1e-12);
}

// A mean of many overlapping splits has the error of about one split, not of none.
TEST(CorrectedMean, DoesNotVanishWithManySplits) {
  std::vector<double> per_split;
  for (int i = 0; i < 1000; ++i) per_split.push_back(i % 2 == 0 ? 1 : -1);
  EXPECT_GT(corrected_mean(per_split, 0.25).standard_error, 0.5);
}

}  // namespace
}  // namespace otss
