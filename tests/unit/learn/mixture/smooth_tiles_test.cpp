#include "learn/mixture/smooth_tiles.hpp"

#include <gtest/gtest.h>

#include "learn/mixture/smooth_rows.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;

// Several tiles, the last of them not full; every seventh row does not count.
Problem rows_of_family(OutputFamily family) {
  Rng rng(7);
  std::vector<test::Row> rows(2500);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].x = test::normals(rng, 3);
    rows[i].z = test::normals(rng, 2);
    rows[i].outcome = rng.uniform() < 0.4;
    rows[i].weight = i % 7 == 0 ? 0 : 0.5 + rng.uniform();
  }
  Problem problem = test::problem_of(rows);
  if (family == OutputFamily::kBernoulli) return problem;
  std::vector<float> counts(rows.size());
  for (float& count : counts) count = static_cast<float>(static_cast<int>(3 * rng.uniform()));
  problem.outcomes = Outcomes(family, counts);
  return problem;
}

MatrixXd random_matrix(Eigen::Index height, Eigen::Index width, std::uint64_t seed) {
  Rng rng(seed);
  return MatrixXd::NullaryExpr(height, width, [&] { return 0.3 * rng.normal(); });
}

class SmoothTilesOfFamily : public testing::TestWithParam<OutputFamily> {};

// The sums row by row are the reference; their derivatives are tested beside them.
TEST_P(SmoothTilesOfFamily, HaveTheLossAndTheGradientOfTheirRows) {
  const Problem problem = rows_of_family(GetParam());
  const MatrixXd at = random_matrix(4, 3, 1);
  const MatrixXd penalty = random_matrix(4, 3, 2).cwiseAbs() * 100;
  SmoothTiles tiles(problem, penalty, 2);
  std::vector<double> gradient(tiles.size());
  const double value = tiles.evaluate(std::span(at.data(), at.size()), gradient);

  const Quadratic rows = SmoothRows(problem).expand(at, false, 1);
  const double total = problem.rows.total();
  const double ridge = 0.5 * penalty.cwiseProduct(at.cwiseAbs2()).sum();
  EXPECT_NEAR(value, (rows.loss + ridge) / total, 1e-12 * std::abs(value));
  const Eigen::VectorXd expected = rows.gradient + penalty.cwiseProduct(at).reshaped();
  for (Eigen::Index i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(gradient[i], expected[i] / total, 1e-12) << i;
}

TEST_P(SmoothTilesOfFamily, PredictEveryRow) {
  const Problem problem = rows_of_family(GetParam());
  const MatrixXd coefficients = random_matrix(4, 3, 3);
  const std::vector<double> eta = tiled_predictors(problem, coefficients, 2);
  ASSERT_EQ(eta.size(), problem.num_rows());
  SmoothRow row(problem);
  for (std::size_t i = 0; i < eta.size(); i += 99) {
    row.read(i);
    EXPECT_NEAR(eta[i], row.eta(coefficients), 1e-12) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SmoothTilesOfFamily,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson));

TEST(SmoothTiles, GiveTheSameForAnyNumberOfThreads) {
  const Problem problem = rows_of_family(OutputFamily::kBernoulli);
  const MatrixXd at = random_matrix(4, 3, 1);
  const MatrixXd penalty = MatrixXd::Ones(4, 3);
  std::vector<double> one(at.size()), five(at.size());
  EXPECT_EQ(SmoothTiles(problem, penalty, 1).evaluate(std::span(at.data(), at.size()), one),
            SmoothTiles(problem, penalty, 5).evaluate(std::span(at.data(), at.size()), five));
  EXPECT_EQ(one, five);
}

}  // namespace
}  // namespace otss
