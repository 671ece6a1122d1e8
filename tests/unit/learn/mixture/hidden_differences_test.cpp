#include "learn/mixture/hidden_differences.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

constexpr double kCommon[] = {0.6, -0.4};
constexpr double kSlope[] = {0.3, -0.2, 0.1};  // of the first weight on each context column
// The variance over contexts of the two weights, divided by two.
constexpr double kVariance = (0.09 + 0.04 + 0.01) / 2;

// Returns a log whose first weight is kCommon[0] + strength · kSlope'x. Each row is repeated `copies`
// times.
std::vector<Row> rows_with(double strength, int count, int copies, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    Row row{normals(rng, 3), normals(rng, 2), false};
    double eta = kCommon[0] * row.z[0] + kCommon[1] * row.z[1];
    for (int j = 0; j < 3; ++j) eta += strength * kSlope[j] * row.x[j] * row.z[0];
    row.outcome = rng.uniform() < logistic(eta);
    rows.insert(rows.end(), copies, row);
  }
  return rows;
}

double hidden(const std::vector<Row>& rows, std::span<const std::uint32_t> groups = {}) {
  const Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(1);
  std::vector<double> theta(layout.size(), 0.0);
  for (int j = 0; j < 2; ++j) theta[layout.expert(0) + j] = kCommon[j];
  return hidden_variance(problem, layout, theta, groups, 1).value();
}

TEST(HiddenDifferences, AreSeldomLargerThanTheBound) {
  int larger = 0;
  constexpr int kLogs = 60;
  for (int seed = 0; seed < kLogs; ++seed)
    larger += kVariance > hidden(rows_with(1, 1000, 1, seed)) ? 1 : 0;
  // 2.5 % are expected, and 6 more have a probability below 1 %.
  EXPECT_LE(larger, 6);
}

TEST(HiddenDifferences, AreExcludedByMoreRows) {
  const auto mean = [](int count) {
    double sum = 0;
    for (int seed = 0; seed < 20; ++seed) sum += hidden(rows_with(0, count, 1, seed)) / 20;
    return sum;
  };
  const double few = mean(500), many = mean(4000);
  EXPECT_LT(few, 0.2);
  EXPECT_NEAR(many / few, 500.0 / 4000, 0.05);
}

TEST(HiddenDifferences, CountGroupsInsteadOfRows) {
  constexpr int kCopies = 4;
  const std::vector<Row> once = rows_with(0.5, 1000, 1, 5),
                         copied = rows_with(0.5, 1000, kCopies, 5);
  std::vector<std::uint32_t> groups(copied.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i] = static_cast<std::uint32_t>(i / kCopies);
  EXPECT_NEAR(hidden(copied, groups), hidden(once), 1e-6);
}

TEST(HiddenDifferences, AreUnknownWithFewRows) {
  const Problem problem = problem_of(rows_with(0, 9, 1, 1));
  const MixtureLayout layout = problem.layout(1);
  EXPECT_FALSE(hidden_variance(problem, layout, std::vector<double>(layout.size(), 0.0), {}, 1));
}

TEST(HiddenDifferences, AreFiniteWithOneContextColumnAndOneFactor) {
  std::vector<Row> rows = rows_with(0, 500, 1, 1);
  for (Row& row : rows) {
    row.x.resize(1);
    row.z.resize(1);
  }
  const Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(1);
  const auto variance =
      hidden_variance(problem, layout, std::vector<double>(layout.size(), 0.0), {}, 1);
  ASSERT_TRUE(variance);
  EXPECT_TRUE(std::isfinite(*variance));
}

TEST(HiddenDifferences, AreNoneWithoutContexts) {
  std::vector<Row> rows = rows_with(0, 50, 1, 1);
  for (Row& row : rows) row.x.clear();
  EXPECT_EQ(hidden(rows), 0);
}

}  // namespace
}  // namespace otss::test
