#include "base/normal_law.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

TEST(NormalLaw, HasTheQuantilesOfTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-15);
  EXPECT_NEAR(normal_quantile(0.95), 1.6448536269514722, 1e-13);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-13);
  EXPECT_NEAR(normal_quantile(0.1), -1.2815515655446004, 1e-13);
  EXPECT_NEAR(normal_quantile(1e-9), -5.997807015007774, 1e-9);
}

TEST(NormalLaw, QuantilesInvertProbabilities) {
  for (double x = -6; x <= 6; x += 0.37)
    EXPECT_NEAR(normal_quantile(normal_probability(x)), x, 1e-8);
}

}  // namespace
}  // namespace otss
