#include "learn/probabilities/taste_start.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/mixture/pooled.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// Weights (1, 0, 0) + or - (0, 2, 0), drawn anew for each row, whatever its context.
std::vector<test::Row> two_tastes(int count) {
  Rng rng(17);
  std::vector<test::Row> rows(count);
  for (test::Row& row : rows) {
    row.x = test::normals(rng, 1);
    row.z = test::normals(rng, 3);
    const double taste = rng.uniform() < 0.5 ? 2 : -2;
    row.outcome = rng.uniform() < test::logistic(row.z[0] + taste * row.z[1]);
  }
  return rows;
}

TEST(TasteStart, FindsTheFactorOnWhichTastesDiffer) {
  const Problem problem = test::problem_of(two_tastes(4000));
  const PooledFit pooled = fit_pooled(problem, 1);
  const TasteStart taste(problem, pooled.fit.theta);
  const Eigen::VectorXd first = taste.directions().col(0).normalized();
  // The estimate of the direction has an error of about 1 / sqrt(4000) for each factor.
  EXPECT_GT(std::abs(first[1]), 0.99);
  const MixtureLayout layout = problem.layout(2);
  const std::vector<double> theta = taste.start(2);
  const double center = pooled.fit.theta[problem.layout(1).expert(0) + 1];
  const double above = theta[layout.expert(0) + 1] - center;
  EXPECT_GT(std::abs(above), 0.1);
  EXPECT_NEAR(theta[layout.expert(1) + 1] - center, -above, 1e-9);
}

TEST(TasteStart, GivesDifferentExpertsIfThereAreMoreExpertsThanFactors) {
  std::vector<test::Row> rows = two_tastes(500);
  for (test::Row& row : rows) row.z = {row.z[1]};
  const Problem problem = test::problem_of(rows);
  const TasteStart taste(problem, fit_pooled(problem, 1).fit.theta);
  const MixtureLayout layout = problem.layout(5);
  const std::vector<double> theta = taste.start(5);
  for (int k = 0; k < 5; ++k) {
    for (int l = 0; l < k; ++l)
      EXPECT_GT(std::abs(theta[layout.expert(k)] - theta[layout.expert(l)]), 1e-3) << k << " " << l;
  }
}

}  // namespace
}  // namespace otss
