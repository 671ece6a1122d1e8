#include "data/log/isa/strip_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "data/log/tile_matrix.hpp"

namespace otss {
namespace {

using namespace internal;

// Values with everything that needs care: missing ones, both zeros, and a count that fills neither
// tile nor vector.
std::vector<double> awkward_values() {
  std::vector<double> values(1003);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<double>(i)) * 1e3;
  for (std::size_t i = 0; i < values.size(); i += 17)
    values[i] = std::numeric_limits<double>::quiet_NaN();
  values[5] = -0.0;
  return values;
}

class StripKernelOn : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam()))
      GTEST_SKIP() << "this processor has no " << isa_name(GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, StripKernelOn, ::testing::ValuesIn(kAllIsas),
                         [](const auto& set) { return std::string(isa_name(set.param)); });

TEST_P(StripKernelOn, StoresAndSumsWhatIsPresent) {
  const auto values = awkward_values();
  TileMatrix raw(values.size(), 3);
  StripSums sums{};
  strip_kernel(GetParam())
      .absorb(values.data(), values.size(), 10, 0.5, sums, &raw.at(0, 1), raw.tile_size());
  double present = 0;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(raw.at(i, 1)));
      continue;
    }
    EXPECT_EQ(raw.at(i, 1), static_cast<float>((values[i] - 10) * 0.5));
    EXPECT_EQ(raw.at(i, 0), 0);
    ++present;
    sum += (values[i] - 10) * 0.5;
  }
  double kernel_present = 0;
  double kernel_sum = 0;
  for (std::size_t lane = 0; lane < kSumLanes; ++lane) {
    kernel_present += sums.present[lane];
    kernel_sum += sums.sum[lane];
  }
  EXPECT_EQ(kernel_present, present);
  EXPECT_NEAR(kernel_sum, sum, 1e-9);
  EXPECT_GT(*std::max_element(sums.max, sums.max + kSumLanes), 999);
  EXPECT_LT(*std::min_element(sums.min, sums.min + kSumLanes), -999);
}

TEST_P(StripKernelOn, HashesLikeTheBaseline) {
  const auto values = awkward_values();
  const auto& kernel = strip_kernel(GetParam());
  EXPECT_EQ(kernel.hash(values.data(), values.size(), 7),
            strip_kernel(Isa::kBaseline).hash(values.data(), values.size(), 7));
}

TEST_P(StripKernelOn, HashesTheSameHoweverRowsAreCut) {
  const auto values = awkward_values();
  const auto& kernel = strip_kernel(GetParam());
  const auto whole = kernel.hash(values.data(), values.size(), 0);
  EXPECT_EQ(kernel.hash(values.data(), 333, 0) +
                kernel.hash(values.data() + 333, values.size() - 333, 333),
            whole);
}

TEST_P(StripKernelOn, HashesBothZerosAlikeAndRowsApart) {
  const auto& kernel = strip_kernel(GetParam());
  const std::vector<double> plus = {0.0}, minus = {-0.0};
  EXPECT_EQ(kernel.hash(plus.data(), 1, 0), kernel.hash(minus.data(), 1, 0));
  EXPECT_NE(kernel.hash(plus.data(), 1, 0), kernel.hash(plus.data(), 1, 1));
}

TEST_P(StripKernelOn, StandardisesInPlaceAndPutsMissingAtTheMean) {
  std::vector<float> values = {1, 2, std::numeric_limits<float>::quiet_NaN(), 4, 5, 6, 7, 8, 9};
  strip_kernel(GetParam()).standardise(values.data(), values.size(), 2, -1, values.data());
  EXPECT_EQ(values, (std::vector<float>{1, 3, 0, 7, 9, 11, 13, 15, 17}));
}

TEST(TileMatrix, GrowsWithoutLosingWhatItHolds) {
  TileMatrix matrix(0, 3);
  for (std::size_t row = 0; row < 5000; ++row) {
    matrix.grow(row + 1);
    matrix.at(row, 2) = static_cast<float>(row);
  }
  EXPECT_EQ(matrix.num_rows(), 5000U);
  for (std::size_t row = 0; row < 5000; ++row) {
    ASSERT_EQ(matrix.at(row, 2), static_cast<float>(row));
    ASSERT_EQ(matrix.at(row, 0), 0);
  }
}

TEST(TileMatrix, DiscardsOnlyTheTilesItIsToldTo) {
  TileMatrix matrix(100 * kTileRows, 5);
  for (std::size_t row = 0; row < matrix.num_rows(); ++row) matrix.at(row, 4) = 1;
  matrix.discard_tiles(10, 50);
  EXPECT_EQ(matrix.at(10 * kTileRows - 1, 4), 1);
  EXPECT_EQ(matrix.at(35 * kTileRows, 4), 0);
  EXPECT_EQ(matrix.at(60 * kTileRows, 4), 1);
}

}  // namespace
}  // namespace otss
