#include "learn/mixture/smooth_fit.hpp"

#include <gtest/gtest.h>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kContexts = 3, kFactors = 2;
const std::vector<int> kSources{0, 1, 2};  // every context column is a column of its own

struct Panel {
  Problem problem;
  std::vector<std::uint32_t> person;
};

// Persons with several rows each. The weight of factor j is a constant, plus slope × x_j, plus a
// personal deviation with the given standard deviation.
Panel panel(int persons, int rows_each, double slope, double deviation, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<test::Row> rows;
  std::vector<std::uint32_t> person;
  for (int i = 0; i < persons; ++i) {
    const std::vector<double> x = test::normals(rng, kContexts);
    const std::vector<double> own = test::normals(rng, kFactors);
    for (int r = 0; r < rows_each; ++r) {
      test::Row row{x, test::normals(rng, kFactors)};
      double eta = 0.3 * x[2];
      for (int j = 0; j < kFactors; ++j)
        eta += (0.8 - 0.5 * j + slope * x[j] + deviation * own[j]) * row.z[j];
      row.outcome = rng.uniform() < test::logistic(eta);
      rows.push_back(row);
      person.push_back(i);
    }
  }
  return {test::problem_of(rows), person};
}

double penalised_loss(const Problem& problem, const SmoothFit& fit) {
  const std::vector<double> eta = smooth_predictors(problem, fit, 1);
  double sum = 0.5 * fit.penalty.cwiseProduct(fit.coefficients.cwiseAbs2()).sum();
  for (std::size_t i = 0; i < eta.size(); ++i)
    sum += problem.weight(i) * problem.family().loss(eta[i], problem.outcome(i));
  return sum;
}

double largest_slope(const SmoothFit& fit) {
  return fit.coefficients.topLeftCorner(kContexts, kFactors).cwiseAbs().maxCoeff();
}

TEST(SmoothFit, HasAGradientOfZero) {
  const Problem problem = panel(400, 1, 0.5, 0, 1).problem;
  const SmoothFit fit = fit_smooth(problem, {kSources}, 1);
  constexpr double kStep = 1e-3;
  for (Eigen::Index i = 0; i < fit.coefficients.size(); ++i) {
    SmoothFit above = fit;
    SmoothFit below = fit;
    above.coefficients.reshaped()[i] += kStep;
    below.coefficients.reshaped()[i] -= kStep;
    const double slope =
        (penalised_loss(problem, above) - penalised_loss(problem, below)) / 2 / kStep;
    EXPECT_NEAR(slope, 0, 0.5) << "coefficient " << i;  // the summed loss of 400 rows is about 200
  }
}

TEST(SmoothFit, RecoversWeightsThatAreLinearInTheContext) {
  const SmoothFit fit = fit_smooth(panel(20'000, 1, 0.5, 0, 2).problem, {kSources}, 2);
  for (int j = 0; j < kFactors; ++j) {
    EXPECT_NEAR(fit.coefficients(kContexts, j), 0.8 - 0.5 * j, 0.08);
    for (int i = 0; i < kContexts; ++i)
      EXPECT_NEAR(fit.coefficients(i, j), i == j ? 0.5 : 0, 0.08) << i << " " << j;
  }
  EXPECT_NEAR(fit.coefficients(2, kFactors), 0.3, 0.08);  // the baseline's slope
}

TEST(SmoothFit, ShrinksSlopesThatAreNotThere) {
  EXPECT_LT(largest_slope(fit_smooth(panel(4000, 1, 0, 0, 3).problem, {kSources}, 1)), 0.05);
}

TEST(SmoothFit, CountsPersonsWhereRowsOfAPersonResembleEachOther) {
  const Panel persons = panel(100, 40, 0, 1, 4);
  const SmoothFit by_row = fit_smooth(persons.problem, {kSources}, 1);
  const SmoothFit by_person = fit_smooth(persons.problem, {kSources, persons.person}, 1);
  EXPECT_GT(largest_slope(by_row), 1.3 * largest_slope(by_person));
  EXPECT_GT(by_person.penalty(0, 0), 3 * by_row.penalty(0, 0));
}

TEST(SmoothFit, GivesColumnsOfOneSourceOneStrength) {
  const SmoothFit fit = fit_smooth(panel(1000, 1, 0.5, 0, 5).problem, {{0, 0, 1}}, 1);
  EXPECT_EQ(fit.penalty(0, 0), fit.penalty(1, 1));
  EXPECT_NE(fit.penalty(0, 0), fit.penalty(2, 0));
}

TEST(SmoothFit, FitsCoefficientsToAllRowsWithStrengthsOfFew) {
  const Problem problem = panel(10'000, 1, 0.5, 0, 7).problem;
  const SmoothFit all = fit_smooth(problem, {kSources}, 1);
  const SmoothFit few = fit_smooth(problem, {kSources}, 1, {.most_rows = 1000});
  EXPECT_NE(few.penalty, all.penalty);
  // A standard error is about 0.025; a fit to the 1,000 rows alone would be off by 0.08.
  EXPECT_LT((few.coefficients - all.coefficients).cwiseAbs().maxCoeff(), 0.01);
}

TEST(SmoothFit, NeedsMoreRowsForTheStrengthsOfMoreCoefficients) {
  EXPECT_EQ(enough_for_strengths(panel(10, 1, 0, 0, 8).problem), 4096);
  Rng rng(9);
  const test::Row wide{test::normals(rng, 30), test::normals(rng, 20)};
  EXPECT_EQ(enough_for_strengths(test::problem_of({wide})), 16 * 31 * 21);
}

TEST(SmoothFit, HasTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = panel(3000, 1, 0.5, 0, 6).problem;
  const SmoothFit one = fit_smooth(problem, {kSources}, 1);
  EXPECT_EQ(one.coefficients, fit_smooth(problem, {kSources}, 7).coefficients);
}

}  // namespace
}  // namespace otss
