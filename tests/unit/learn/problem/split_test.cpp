#include "learn/problem/split.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

constexpr std::uint8_t kNever = Folds::kNeverHeldOut;

TEST(HonestParts, DivideTheRowsOfOneSplitIntoTheGivenNumber) {
  const Folds split{1, {0, kNever, 0, 0, kNever, 0}};
  EXPECT_EQ(honest_parts(split, {}, 2), (std::vector<std::uint8_t>{0, kNever, 1, 0, kNever, 1}));
  EXPECT_EQ(honest_parts(split, {}), (std::vector<std::uint8_t>{0, kNever, 1, 2, kNever, 3}));
}

TEST(HonestParts, KeepGroupsTogether) {
  const Folds split{1, {0, 0, kNever, 0, 0}};
  const std::vector<std::uint32_t> groups{7, 4, 4, 7, 4};
  EXPECT_EQ(honest_parts(split, groups, 2), (std::vector<std::uint8_t>{1, 0, kNever, 1, 0}));
}

TEST(HonestParts, AreTheFoldsIfThereAreSeveral) {
  const Folds folds{3, {0, 2, 1, 1}};
  EXPECT_EQ(honest_parts(folds, {}, 2), folds.of_row);
}

}  // namespace
}  // namespace otss
