#include "engine/row_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/learn/family_logs.hpp"

namespace otss::test {
namespace {

constexpr std::size_t kRows = 6000;

LoggedData log_with(const LogExtras& extras) {
  return FamilyLog(OutputFamily::kBernoulli, kRows, 61).log(extras);
}

std::vector<double> groups_of(std::size_t num_groups) {
  std::vector<double> groups;
  for (std::size_t i = 0; i < kRows; ++i)
    groups.push_back(1000.0 + static_cast<double>(i % num_groups));
  return groups;
}

LogExtras with_groups(const std::vector<double>& groups) {
  LogExtras extras;
  extras.group.numbers = groups;
  return extras;
}

TEST(RowSamples, HaveNoCommonRowAndAboutTheSizeThatWasAskedFor) {
  const RowSamples samples = draw_samples(log_with({}), {.rows = 1500, .seed = 3}).value();
  std::set<std::size_t> both(samples.first.begin(), samples.first.end());
  both.insert(samples.second.begin(), samples.second.end());
  EXPECT_EQ(both.size(), samples.first.size() + samples.second.size());
  // The standard deviation of a binomial number with mean 1500 of 6000 is 34.
  EXPECT_NEAR(static_cast<double>(samples.first.size()), 1500, 5 * 34);
  EXPECT_NEAR(static_cast<double>(samples.second.size()), 1500, 5 * 34);
  EXPECT_TRUE(std::ranges::is_sorted(samples.first));
}

TEST(RowSamples, ChangeWithTheSeedOnly) {
  const LoggedData log = log_with({});
  const auto draw = [&](std::uint64_t seed) {
    return draw_samples(log, {.rows = 1500, .seed = seed}).value().first;
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}

TEST(RowSamples, AreWholeGroups) {
  const std::vector<double> groups = groups_of(300);
  const LoggedData log = log_with(with_groups(groups));
  const RowSamples samples = draw_samples(log, {.rows = 1500, .seed = 3}).value();
  const auto groups_in = [&](const std::vector<std::size_t>& rows) {
    std::set<double> found;
    for (const std::size_t row : rows) found.insert(groups[row]);
    return found;
  };
  const std::set<double> first = groups_in(samples.first);
  const std::set<double> second = groups_in(samples.second);
  // Every group has 20 rows.
  EXPECT_EQ(samples.first.size(), 20 * first.size());
  EXPECT_EQ(samples.second.size(), 20 * second.size());
  EXPECT_EQ(first.size(), 75U);
  for (const double group : first) EXPECT_FALSE(second.contains(group));
}

TEST(RowSamples, OfGroupsDoNotDependOnTheOrderOfTheRows) {
  std::vector<double> groups = groups_of(300);
  const auto sampled = [&] {
    const RowSamples samples =
        draw_samples(log_with(with_groups(groups)), {.rows = 1500, .seed = 3}).value();
    std::set<double> found;
    for (const std::size_t row : samples.first) found.insert(groups[row]);
    return found;
  };
  const std::set<double> before = sampled();
  std::ranges::reverse(groups);
  EXPECT_EQ(sampled(), before);
}

TEST(RowSamples, DoNotExistIfThereAreTooFewGroups) {
  const std::vector<double> groups = groups_of(50);
  EXPECT_FALSE(draw_samples(log_with(with_groups(groups)), {.rows = 1500, .seed = 3}).has_value());
}

TEST(RowSamples, JudgeWithLaterRowsThanTheyChooseOn) {
  std::vector<double> times;
  for (std::size_t i = 0; i < kRows; ++i) times.push_back(static_cast<double>((i * 7919) % kRows));
  LogExtras extras;
  extras.time.numbers = times;
  const RowSamples samples =
      draw_samples(log_with(extras), {.rows = 1000, .late_share = 0.25, .seed = 3}).value();
  double last = 0;
  double earliest = kRows;
  for (const std::size_t row : samples.first) last = std::max(last, times[row]);
  for (const std::size_t row : samples.second) earliest = std::min(earliest, times[row]);
  EXPECT_LT(last, earliest);
}

TEST(RowSamples, LeaveOutRowsWithoutWeight) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < kRows; ++i) weights.push_back(i % 3 == 0 ? 0 : 1);
  LogExtras extras;
  extras.weight.numbers = weights;
  const LoggedData log = log_with(extras);
  EXPECT_EQ(num_counting_rows(log), kRows / 3 * 2);
  const RowSamples samples = draw_samples(log, {.rows = 1500, .seed = 3}).value();
  for (const std::size_t row : samples.first) EXPECT_NE(row % 3, 0U);
  EXPECT_NEAR(static_cast<double>(samples.first.size()), 1500, 5 * 31);
}

}  // namespace
}  // namespace otss::test
