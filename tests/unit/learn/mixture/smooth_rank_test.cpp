#include "learn/mixture/smooth_rank.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;
using Eigen::MatrixXd;

constexpr int kContexts = 4, kFactors = 3;

Problem random_rows(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<test::Row> rows;
  for (int i = 0; i < 400; ++i) {
    test::Row row{test::normals(rng, kContexts), test::normals(rng, kFactors)};
    row.z[1] += row.z[0];  // factors are correlated
    row.outcome = rng.uniform() < 0.5;
    rows.push_back(row);
  }
  return test::problem_of(rows);
}

SmoothFit fit_with(const MatrixXd& slopes, std::uint64_t seed) {
  Rng rng(seed);
  SmoothFit fit{MatrixXd::Zero(kContexts + 1, kFactors + 1),
                MatrixXd::Ones(kContexts + 1, kFactors + 1)};
  for (double& value : fit.coefficients.reshaped()) value = rng.normal();
  fit.coefficients.topLeftCorner(kContexts, kFactors) = slopes;
  return fit;
}

MatrixXd random_matrix(int rows, int columns, std::uint64_t seed) {
  Rng rng(seed);
  MatrixXd matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = rng.normal();
  return matrix;
}

// Mean squared difference of the linear predictors, over all pairs of a context and a decision.
double change(const Problem& problem, const MatrixXd& difference) {
  MatrixXd contexts = MatrixXd::Zero(kContexts, kContexts);
  MatrixXd factors = MatrixXd::Zero(kFactors, kFactors);
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    Eigen::VectorXd x(kContexts);
    Eigen::VectorXd z(kFactors);
    for (int j = 0; j < kContexts; ++j) x[j] = problem.features->at(i, j);
    for (int j = 0; j < kFactors; ++j) z[j] = problem.features->at(i, kContexts + j);
    contexts += x * x.transpose();
    factors += z * z.transpose();
  }
  return (contexts * difference * factors * difference.transpose()).trace();
}

TEST(AlongOneDirection, KeepsSlopesThatHaveOneDirection) {
  const MatrixXd slopes = random_matrix(kContexts, 1, 1) * random_matrix(1, kFactors, 2);
  const SmoothFit fit = fit_with(slopes, 3);
  const SmoothFit reduced = along_one_direction(random_rows(4), fit);
  EXPECT_LT((reduced.coefficients - fit.coefficients).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(AlongOneDirection, HasRankOneAndKeepsTheRest) {
  const SmoothFit fit = fit_with(random_matrix(kContexts, kFactors, 5), 6);
  const SmoothFit reduced = along_one_direction(random_rows(7), fit);
  const MatrixXd slopes = reduced.coefficients.topLeftCorner(kContexts, kFactors);
  const Eigen::VectorXd singular = slopes.jacobiSvd().singularValues();
  EXPECT_LT(singular[1], 1e-9 * singular[0]);
  EXPECT_EQ(reduced.coefficients.bottomRows(1), fit.coefficients.bottomRows(1));
  EXPECT_EQ(reduced.coefficients.rightCols(1), fit.coefficients.rightCols(1));
}

TEST(AlongOneDirection, ChangesThePredictorsLeast) {
  const Problem problem = random_rows(8);
  const MatrixXd slopes = random_matrix(kContexts, kFactors, 9);
  const MatrixXd reduced = along_one_direction(problem, fit_with(slopes, 10))
                               .coefficients.topLeftCorner(kContexts, kFactors);
  const double least = change(problem, reduced - slopes);
  // A small step away from the best matrix of rank 1, within the matrices of rank 1, changes more.
  const Eigen::VectorXd u = reduced.col(0);
  const Eigen::RowVectorXd v = reduced.row(0) / reduced(0, 0);
  for (std::uint64_t seed = 11; seed < 21; ++seed) {
    const MatrixXd other = (u + 0.1 * random_matrix(kContexts, 1, seed)) *
                           (v + 0.1 * random_matrix(1, kFactors, seed + 100));
    EXPECT_GT(change(problem, other - slopes), least) << seed;
  }
}

}  // namespace
}  // namespace otss
