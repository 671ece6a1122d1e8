#include "model/uncertainty/discrepancy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

TEST(Discrepancy, AddsItsVarianceToThatOfTheDraws) {
  constexpr std::size_t kDraws = 512;
  std::vector<double> departures = exact_normals(kDraws, 2);
  const std::vector<double> discrepancy = {0.75, -2};
  add_discrepancy(discrepancy, departures);
  const std::vector<double> sizes = column_sizes(departures, 2);
  // The correlation of 512 draws with independent numbers is about 1 / sqrt(512).
  EXPECT_NEAR(sizes[0], std::hypot(1, 0.75), 0.1);
  EXPECT_NEAR(sizes[1], std::hypot(1, 2), 0.1);
}

TEST(Discrepancy, OfAGateThatFitsChangesNothing) {
  std::vector<double> departures = exact_normals(16, 2);
  const std::vector<double> before = departures;
  add_discrepancy({}, departures);
  EXPECT_EQ(departures, before);
}

TEST(Discrepancy, WidensBothBounds) {
  const Bounds bounds = widened({-3, 1}, 4 / 1.6448536269514722, 0.9);
  EXPECT_NEAR(bounds.lo, -5, 1e-12);
  EXPECT_NEAR(bounds.hi, std::sqrt(17.0), 1e-12);
}

TEST(ShuffledQuantiles, HaveMeanZeroAndUnitVariance) {
  const std::vector<double> values = shuffled_quantiles(200);
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0, 1e-9);
  EXPECT_NEAR(squares, 200, 1e-9);
  EXPECT_EQ(values, shuffled_quantiles(200));
}

}  // namespace
}  // namespace otss::internal
