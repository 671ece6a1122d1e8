#include "learn/mixture/mixture_fit.hpp"

#include <gtest/gtest.h>

#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// Rows of a mixture with two experts.
Problem two_experts() {
  Rng rng(1);
  std::vector<test::Row> rows;
  for (int i = 0; i < 3000; ++i) {
    test::Row row{test::normals(rng, 2), test::normals(rng, 3)};
    const double share = test::logistic(2 * row.x[0]);
    const double eta = row.z[0] + share * row.z[1] - (1 - share) * row.z[2];
    row.outcome = rng.uniform() < test::logistic(eta);
    rows.push_back(row);
  }
  return test::problem_of(rows);
}

MixtureFit fit_with(const FitEffort& effort) {
  const Problem problem = two_experts();
  const PooledFit pooled = fit_pooled(problem, 1);
  return fit_mixture(problem, pooled.penalty, problem.layout(2),
                     SpectralStart(problem, pooled.fit.theta).start(2), effort);
}

TEST(MixtureFit, EndsAfterTheGivenNumberOfPasses) {
  const MixtureFit whole = fit_with({.polish = false});
  const MixtureFit cut = fit_with({.polish = false, .most_passes = 5});
  EXPECT_GT(whole.evaluations, 6);
  EXPECT_LE(cut.evaluations, 6);  // the last line search may evaluate once more
  EXPECT_FALSE(cut.converged);
}

TEST(MixtureFit, EndsEarlierIfASmallerGainIsNotWanted) {
  const MixtureFit precise = fit_with({});
  const MixtureFit rough = fit_with({.least_gain = 1e-6});
  EXPECT_LT(rough.evaluations, precise.evaluations);
  EXPECT_NEAR(rough.objective, precise.objective, 1e-5 * precise.objective);
}

}  // namespace
}  // namespace otss
