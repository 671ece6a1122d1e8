#include "learn/units/unit_folds.hpp"

#include <gtest/gtest.h>

#include <set>

namespace otss::internal {
namespace {

// Units of 1, 2, 3, … rows, interleaved.
std::vector<std::uint32_t> growing_units(std::uint32_t count) {
  std::vector<std::uint32_t> units;
  for (std::uint32_t round = 0; round < count; ++round) {
    for (std::uint32_t unit = round; unit < count; ++unit) units.push_back(unit);
  }
  return units;
}

TEST(UnitIndex, ListsTheRowsOfEachUnitInOrder) {
  const std::vector<std::uint32_t> units{1, 0, 1, 2, 1};
  const UnitIndex index(units);
  ASSERT_EQ(index.size(), 3U);
  EXPECT_EQ(std::vector(index.rows(1).begin(), index.rows(1).end()),
            (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(index.rows(2).front(), 3U);
}

TEST(UnitFolds, DivideTheRowsOfEachUnitEvenly) {
  const UnitIndex index(growing_units(12));
  const Folds folds = folds_within_units(index, {}, 5, 1);
  EXPECT_EQ(folds.count, 5);
  for (std::size_t unit = 0; unit < index.size(); ++unit) {
    std::vector<std::size_t> counts(5, 0);
    for (const std::size_t row : index.rows(unit)) {
      if (index.rows(unit).size() == 1) {
        EXPECT_EQ(folds.of_row[row], Folds::kNeverHeldOut);
        continue;
      }
      ++counts[folds.of_row[row]];
    }
    const auto [least, most] = std::ranges::minmax(counts);
    EXPECT_LE(most - least, 1U);
  }
}

TEST(UnitFolds, HoldOutTheLatestRowsOfEachUnitIfTheLogHasTimes) {
  const std::vector<std::uint32_t> units{0, 0, 0, 0, 0, 0, 1, 1, 2};
  const std::vector<double> times{5, 1, 9, 2, 3, 8, 7, 6, 100};
  const Folds folds = folds_within_units(UnitIndex(units), times, 5, 1);
  EXPECT_EQ(folds.count, 1);
  std::set<std::size_t> held_out;
  for (std::size_t row = 0; row < units.size(); ++row) {
    if (folds.held_out(row)) held_out.insert(row);
  }
  EXPECT_EQ(held_out, (std::set<std::size_t>{2, 5, 6}));
}

TEST(UnitFolds, SampleHasWholeUnits) {
  const std::vector<std::uint32_t> units = growing_units(30);
  const UnitIndex index(units);
  const std::vector<std::size_t> rows = rows_of_some_units(index, 100, 3);
  EXPECT_GE(rows.size(), 100U);
  EXPECT_LT(rows.size(), 130U);
  std::vector<std::size_t> counts(30, 0);
  for (const std::size_t row : rows) ++counts[units[row]];
  for (std::size_t unit = 0; unit < 30; ++unit)
    EXPECT_TRUE(counts[unit] == 0 || counts[unit] == index.rows(unit).size());
  EXPECT_EQ(rows_of_some_units(index, 10'000, 3).size(), units.size());
}

}  // namespace
}  // namespace otss::internal
