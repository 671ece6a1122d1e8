#include "otss/data/splits.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::HasSubstr;

// A log of n rows of noise, with groups and times on demand.
LoggedData noise(std::size_t n, const std::vector<double>& groups = {},
                 const std::vector<double>& times = {}) {
  Rng rng(7);
  std::vector<double> x(n), z(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = rng.normal();
    z[i] = rng.normal();
    y[i] = static_cast<double>(i % 2);
  }
  LogExtras extras;
  extras.group.numbers = groups;
  extras.time.numbers = times;
  return make_log({{"x", x, {}}}, {{"z", z, {}}}, y, extras);
}

std::vector<double> repeated(std::size_t n, double (*value)(std::size_t)) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
  return values;
}

std::size_t count_of(const std::vector<std::uint8_t>& rows, int value) {
  return static_cast<std::size_t>(std::count(rows.begin(), rows.end(), value));
}

TEST(Splits, GiveFoldsOfEqualSize) {
  const auto folds = assign_folds(noise(103), 5, 1);
  for (int fold = 0; fold < 5; ++fold)
    EXPECT_NEAR(static_cast<double>(count_of(folds, fold)), 20.6, 0.7);
}

TEST(Splits, AreTheSameForOneSeedAndDifferForAnother) {
  const LoggedData log = noise(500);
  EXPECT_EQ(assign_folds(log, 5, 1), assign_folds(log, 5, 1));
  EXPECT_NE(assign_folds(log, 5, 1), assign_folds(log, 5, 2));
  EXPECT_EQ(validation_rows(log, 0.2, 1), validation_rows(log, 0.2, 1));
  EXPECT_NE(validation_rows(log, 0.2, 1), validation_rows(log, 0.2, 2));
}

TEST(Splits, KeepGroupsInOneFoldAndFoldsBalanced) {
  const LoggedData log =
      noise(1000, repeated(1000, [](std::size_t i) { return static_cast<double>(i * i % 97); }));
  const auto folds = assign_folds(log, 4, 3);
  std::map<std::uint32_t, std::set<int>> folds_of_group;
  for (std::size_t i = 0; i < 1000; ++i) folds_of_group[log.groups()[i]].insert(folds[i]);
  for (const auto& [group, seen] : folds_of_group) EXPECT_EQ(seen.size(), 1U) << group;
  for (int fold = 0; fold < 4; ++fold)
    EXPECT_NEAR(static_cast<double>(count_of(folds, fold)), 250, 15);
}

TEST(Splits, RefuseMoreFoldsThanRowsOrGroups) {
  EXPECT_THAT(error_of([] { assign_folds(noise(4), 5, 1); }),
              HasSubstr("--folds 5 cannot split 4 rows"));
  EXPECT_THAT(error_of([] { assign_folds(noise(10), 1, 1); }), HasSubstr("--folds 1"));
  const auto groups = repeated(10, [](std::size_t i) { return static_cast<double>(i % 2); });
  EXPECT_THAT(error_of([&] { assign_folds(noise(10, groups), 3, 1); }), HasSubstr("2 groups"));
}

TEST(Splits, HoldOutAFifthButAtLeastAHundredRows) {
  EXPECT_EQ(validation_count(5000, 0.2), 1000U);
  EXPECT_EQ(validation_count(300, 0.2), 100U);
  EXPECT_EQ(validation_count(60, 0.2), 30U) << "a small log keeps half of its rows to train on";
  EXPECT_EQ(validation_count(100, 0.7), 70U);
  EXPECT_EQ(count_of(validation_rows(noise(5000)), 1), 1000U);
  EXPECT_THAT(error_of([] { validation_rows(noise(50), 1.5); }), HasSubstr("--validation 1.5"));
}

TEST(Splits, HoldOutTheLatestRowsAndKeepTiesTogether) {
  const std::size_t n = 1000;
  const auto times =
      repeated(n, [](std::size_t i) { return static_cast<double>((i * 7919 % 1000) / 30); });
  const LoggedData log = noise(n, {}, times);
  const auto rows = validation_rows(log, 0.2, 5);
  double earliest_held_out = 1e9;
  double latest_kept = -1e9;
  for (std::size_t i = 0; i < n; ++i) {
    if (rows[i] != 0) {
      earliest_held_out = std::min(earliest_held_out, times[i]);
    } else {
      latest_kept = std::max(latest_kept, times[i]);
    }
  }
  EXPECT_LT(latest_kept, earliest_held_out);
  EXPECT_GE(count_of(rows, 1), 200U);
  EXPECT_LT(count_of(rows, 1), 230U) << "at most one time more";
}

TEST(Splits, HoldOutTheLatestRowsOfTimesOfAnySizeAndSign) {
  std::vector<double> times{0, 1e-310, -1e-310, 1e300, -1e300};
  Rng rng(3);
  while (times.size() < 1000) times.push_back(rng.normal() * std::pow(10.0, rng.uniform(-20, 20)));
  const auto rows = validation_rows(noise(times.size(), {}, times), 0.3, 5);
  std::vector<double> sorted = times;
  std::ranges::sort(sorted, std::greater<>());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(rows[i] != 0, times[i] >= sorted[299]);
}

TEST(Splits, LeaveTheEarliestTimeToTrainOn) {
  const auto mostly_zero = repeated(400, [](std::size_t i) { return i < 30 ? 1.0 : 0.0; });
  EXPECT_EQ(count_of(validation_rows(noise(400, {}, mostly_zero), 0.2, 1), 1), 30U);
  const auto all_zero = repeated(400, [](std::size_t) { return 0.0; });
  EXPECT_THAT(error_of([&] { validation_rows(noise(400, {}, all_zero), 0.2, 1); }),
              HasSubstr("time 'time' is the same in every row"));
}

TEST(Splits, HoldOutWholeGroups) {
  const LoggedData log =
      noise(1000, repeated(1000, [](std::size_t i) { return static_cast<double>(i / 25); }));
  const auto rows = validation_rows(log, 0.2, 1);
  EXPECT_EQ(count_of(rows, 1), 200U);
  for (std::size_t i = 1; i < 1000; ++i) {
    if (log.groups()[i] == log.groups()[i - 1]) {
      EXPECT_EQ(rows[i], rows[i - 1]);
    }
  }
  const auto one = repeated(400, [](std::size_t) { return 3.0; });
  EXPECT_THAT(error_of([&] { validation_rows(noise(400, one), 0.2, 1); }),
              HasSubstr("group 'group' is the same"));
}

TEST(Splits, HoldOutTheGroupsWithTheLatestRows) {
  const auto groups = repeated(1000, [](std::size_t i) { return static_cast<double>(i % 10); });
  const auto times = repeated(
      1000, [](std::size_t i) { return static_cast<double>(i % 10) + (i == 4 ? 100.0 : 0.0); });
  const LoggedData log = noise(1000, groups, times);
  const auto rows = validation_rows(log, 0.2, 1);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(rows[i] != 0, i % 10 == 4 || i % 10 == 9) << i;
}

}  // namespace
}  // namespace otss
