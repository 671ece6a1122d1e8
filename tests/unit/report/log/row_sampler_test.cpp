#include "report/log/row_sampler.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace otss {
namespace {

using namespace internal;

std::vector<std::size_t> sample_of(std::size_t rows, std::size_t most, std::uint64_t seed) {
  RowSampler sampler(most, seed, 0);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < rows; ++row) {
    if (const auto place = sampler.place_of_next()) put(kept, *place, row);
  }
  EXPECT_EQ(kept.size(), sampler.num_rows());
  return kept;
}

TEST(RowSampler, KeepsAllRowsOfASmallTableInOrder) {
  std::vector<std::size_t> all(50);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(sample_of(50, 50, 1), all);
  EXPECT_EQ(sample_of(50, 100, 1), all);
}

// Each row is kept with probability 1/4. Over 400 samples, the count of the first and of the last
// quarter of the rows is within 4 standard deviations of 400 · 25 / 4.
TEST(RowSampler, KeepsEveryRowWithTheSameProbability) {
  double early = 0, late = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const std::size_t row : sample_of(100, 25, seed)) {
      early += row < 25 ? 1 : 0;
      late += row >= 75 ? 1 : 0;
    }
  }
  const double deviation = std::sqrt(400 * 25 * 0.25 * 0.75);
  EXPECT_NEAR(early, 2500, 4 * deviation);
  EXPECT_NEAR(late, 2500, 4 * deviation);
}

TEST(RowSampler, DependsOnTheSeed) {
  EXPECT_EQ(sample_of(1000, 10, 7), sample_of(1000, 10, 7));
  EXPECT_NE(sample_of(1000, 10, 7), sample_of(1000, 10, 8));
}

}  // namespace
}  // namespace otss
