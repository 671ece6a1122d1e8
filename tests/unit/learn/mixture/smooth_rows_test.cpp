#include "learn/mixture/smooth_rows.hpp"

#include <gtest/gtest.h>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// A text column with twelve levels as indicators, and a number.
Problem levels_and_a_number() {
  Rng rng(1);
  std::vector<test::Row> rows(300);
  for (test::Row& row : rows) {
    const auto level = static_cast<std::size_t>(12 * rng.uniform());
    row.x.assign(12, -0.25);
    row.x[level] = 1.75;
    row.x.push_back(rng.normal());
    row.z = test::normals(rng, 2);
    row.outcome = rng.uniform() < 0.4;
    row.weight = 0.5 + rng.uniform();
  }
  return test::problem_of(rows);
}

Eigen::MatrixXd some_coefficients(const Problem& problem) {
  Rng rng(2);
  Eigen::MatrixXd coefficients(problem.num_contexts + 1, problem.num_factors() + 1);
  for (double& entry : coefficients.reshaped()) entry = 0.3 * rng.normal();
  return coefficients;
}

// The Hessian is summed over the few columns that are unusual in a row; its differences to those of
// the gradient show that the sum is the whole.
TEST(SmoothRows, HaveTheGradientAndHessianOfTheirLoss) {
  const Problem problem = levels_and_a_number();
  const SmoothRows rows(problem);
  const Eigen::MatrixXd at = some_coefficients(problem);
  const Quadratic sum = rows.expand(at, true, 1);
  constexpr double kStep = 1e-4;
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    Eigen::MatrixXd above = at;
    Eigen::MatrixXd below = at;
    above.reshaped()[i] += kStep;
    below.reshaped()[i] -= kStep;
    const Quadratic up = rows.expand(above, false, 1);
    const Quadratic down = rows.expand(below, false, 1);
    EXPECT_NEAR((up.loss - down.loss) / (2 * kStep), sum.gradient[i], 1e-5) << i;
    const Eigen::VectorXd slope = (up.gradient - down.gradient) / (2 * kStep);
    EXPECT_LT((slope - sum.hessian.col(i)).cwiseAbs().maxCoeff(), 1e-5) << i;
  }
}

TEST(SmoothRows, GiveTheSameForAnyNumberOfThreads) {
  const Problem problem = levels_and_a_number();
  const SmoothRows rows(problem);
  const Eigen::MatrixXd at = some_coefficients(problem);
  EXPECT_EQ(rows.expand(at, true, 1).hessian, rows.expand(at, true, 5).hessian);
}

}  // namespace
}  // namespace otss
