#include "learn/mixture/gate_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "learn/mixture/squares_and_pairs.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

constexpr int kContexts = 3, kFactors = 2;
// The weights of the average context, and how they change with (x_1² - 1) / √2.
constexpr double kCommon[] = {0.6, -0.4}, kChange[] = {0.5, 0.3};

// Returns a log whose weights are kCommon + strength · kChange · (x_1² - 1) / √2. Each row is
// repeated `copies` times.
std::vector<Row> rows_with(double strength, int count, int copies, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    Row row{{rng.normal(), rng.normal(), rng.normal()}, {rng.normal(), rng.normal()}, false};
    const double square = (row.x[0] * row.x[0] - 1) / std::sqrt(2.0);
    double eta = 0.2;
    for (int j = 0; j < kFactors; ++j)
      eta += (kCommon[j] + strength * square * kChange[j]) * row.z[j];
    row.outcome = rng.uniform() < 1 / (1 + std::exp(-eta));
    rows.insert(rows.end(), copies, row);
  }
  return rows;
}

// Tests one trade-off for everybody, the true one of the average context.
GateTest tested(const std::vector<Row>& rows, std::span<const std::uint32_t> groups = {}) {
  const Problem problem = problem_of(rows);
  const MixtureLayout layout = problem.layout(1);
  std::vector<double> theta(layout.size(), 0.0);
  for (int j = 0; j < kFactors; ++j) theta[layout.expert(0) + j] = kCommon[j];
  theta[layout.baseline() + kContexts] = 0.2;
  return test_gate(problem, layout, theta, groups, 1).value();
}

TEST(GateTest, RarelyRejectsAGateThatFits) {
  int rejected = 0, small = 0;
  constexpr int kLogs = 100;
  for (int seed = 0; seed < kLogs; ++seed) {
    const GateTest test = tested(rows_with(0, 1000, 1, seed));
    EXPECT_EQ(test.columns, 6U);  // three squares and three pairs
    rejected += test.fits() ? 0 : 1;
    small += test.p_value < 0.1 ? 1 : 0;
  }
  // The number of p-values below 0.1 is binomial, up to the error of the Tracy–Widom law.
  EXPECT_NEAR(small, 0.1 * kLogs, 3.5 * std::sqrt(0.09 * kLogs));
  EXPECT_LE(rejected, 4);
}

TEST(GateTest, FindsTheDirectionAndTheSizeOfTheDiscrepancy) {
  // The effect is small, because the score is a derivative: large effects are underestimated.
  constexpr double kStrength = 0.4;
  const GateTest test = tested(rows_with(kStrength, 8000, 1, 1));
  EXPECT_LT(test.p_value, 1e-4);
  EXPECT_GT(test.gain, 0);
  ASSERT_FALSE(test.fits());
  // The information about a weight is about 0.22 per row, so the standard error is about 0.024.
  const double sign = test.discrepancy[0] > 0 ? 1 : -1;
  for (int j = 0; j < kFactors; ++j)
    EXPECT_NEAR(sign * test.discrepancy[j], kStrength * kChange[j], 0.08);
}

TEST(GateTest, CountsGroupsInsteadOfRows) {
  constexpr int kCopies = 4;
  const std::vector<Row> once = rows_with(0.3, 1000, 1, 5),
                         copied = rows_with(0.3, 1000, kCopies, 5);
  std::vector<std::uint32_t> groups(copied.size());
  for (std::size_t i = 0; i < groups.size(); ++i)
    groups[i] = static_cast<std::uint32_t>(i / kCopies);
  const GateTest alone = tested(once), grouped = tested(copied, groups);
  EXPECT_NEAR(grouped.p_value, alone.p_value, 1e-6);
  EXPECT_LT(tested(copied).p_value, alone.p_value);
}

TEST(GateTest, NeedsRows) {
  const Problem problem = problem_of(rows_with(0, 9, 1, 1));
  const MixtureLayout layout = problem.layout(1);
  EXPECT_FALSE(test_gate(problem, layout, std::vector<double>(layout.size(), 0.0), {}, 1));
}

TEST(SquaresAndPairs, AreUncorrelatedWithTheContexts) {
  Rng rng(3);
  Eigen::MatrixXd x(500, 3);
  Eigen::VectorXd weights(500);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    weights[i] = 1 + static_cast<double>(rng.below(3));
    // The last column is an indicator: its square is a linear function of itself.
    x.row(i) << std::exp(rng.normal()), rng.normal(), static_cast<double>(rng.below(2));
  }
  for (const Eigen::Index most : {6, 4}) {
    const Eigen::MatrixXd columns = squares_and_pairs(x, weights, most);
    EXPECT_EQ(columns.cols(), most == 6 ? 5 : 4);
    EXPECT_LT((x.transpose() * weights.asDiagonal() * columns).cwiseAbs().maxCoeff(), 1e-3);
    const Eigen::VectorXd variances = columns.cwiseAbs2().transpose() * weights / weights.sum();
    EXPECT_LT((variances.array() - 1).abs().maxCoeff(), 1e-9);
  }
}

}  // namespace
}  // namespace otss::test
