#include "engine/half/rounding_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "engine/half/half_rows.hpp"

namespace otss::internal {
namespace {

constexpr int kColumns = 4, kContexts = 2;
constexpr std::size_t kRows = 20'000;

// Normal columns, of which the first is replaced by standardised draws.
TileMatrix tiles_of(const std::function<double(Rng&, double other)>& draw) {
  Rng rng(3);
  TileMatrix tiles(kRows, kColumns);
  double sum = 0, squares = 0;
  std::vector<double> first(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (int c = 1; c < kColumns; ++c) tiles.at(row, c) = static_cast<float>(rng.normal());
    first[row] = draw(rng, tiles.at(row, 1));
    sum += first[row];
    squares += first[row] * first[row];
  }
  const double mean = sum / kRows, deviation = std::sqrt(squares / kRows - mean * mean);
  for (std::size_t row = 0; row < kRows; ++row)
    tiles.at(row, 0) = static_cast<float>((first[row] - mean) / deviation);
  return tiles;
}

double first_shift(const std::function<double(Rng&, double other)>& draw) {
  const TileMatrix tiles = tiles_of(draw);
  const auto shifts = rounding_shifts(tiles, rounded_to_half(tiles), kContexts);
  EXPECT_EQ(shifts.size(), kColumns);
  return shifts.front();
}

TEST(RoundingShift, IsSmallForUsualColumns) {
  const double normal = first_shift([](Rng& rng, double) { return rng.normal(); });
  // f16 rounds by up to 2^-11, that is about 2e-4 of a deviation on average.
  EXPECT_GT(normal, 8 * 1e-4);
  EXPECT_LT(normal, 8 * 4e-4);
  EXPECT_LT(first_shift([](Rng& rng, double) { return std::exp(2 * rng.normal()); }), 0.01);
  EXPECT_LT(first_shift([](Rng& rng, double) { return std::floor(20 * rng.uniform()); }), 0.01);
}

TEST(RoundingShift, IsZeroForTwoValues) {
  // Rounding stretches such a column, and the correction removes that.
  EXPECT_LT(first_shift([](Rng& rng, double) { return rng.uniform() < 0.01 ? 1.0 : 0.0; }), 1e-6);
}

TEST(RoundingShift, IsLargeForColumnsThatAreAlmostTheSame) {
  const auto almost = [](double difference) {
    return first_shift([=](Rng& rng, double other) { return other + difference * rng.normal(); });
  };
  EXPECT_LT(almost(0.2), kLargestRoundingShift);
  EXPECT_GT(almost(0.02), kLargestRoundingShift);
}

TEST(RoundingShift, IsLargeIfTheMiddleOfTheRowsVanishesBesideTheTails) {
  const auto pareto = [](double exponent) {
    return first_shift([=](Rng& rng, double) { return std::pow(rng.uniform(), -1 / exponent); });
  };
  EXPECT_LT(pareto(3), kLargestRoundingShift);
  EXPECT_GT(pareto(0.4), kLargestRoundingShift);
}

}  // namespace
}  // namespace otss::internal
