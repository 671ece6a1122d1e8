#include "decide/equal_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

TEST(EqualRows, ArePointedToTheFirst) {
  const std::vector<double> matrix{1, 2, 3, 4, 1, 2, 1, 2.5, 3, 4};
  EXPECT_THAT(first_equal_rows(matrix, 5), testing::ElementsAre(0, 1, 0, 3, 1));
}

TEST(EqualRows, WithoutColumnsAreAllEqual) {
  EXPECT_THAT(first_equal_rows({}, 3), testing::ElementsAre(0, 0, 0));
}

TEST(EqualRows, CompareBits) {
  const std::vector<double> matrix{0.0, -0.0};
  EXPECT_THAT(first_equal_rows(matrix, 2), testing::ElementsAre(0, 1));
}

}  // namespace
}  // namespace otss
