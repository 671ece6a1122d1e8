#include "learn/mixture/pooled.hpp"

#include <gtest/gtest.h>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr double kTolerance = 5e-5;  // theirs stops at a gradient, ours at a gain

TEST(Pooled, IsScikitLearnsLogisticRegressionAtTheSameRidge) {
  const Problem problem = test::problem_of(test::golden_rows());
  const Json theirs = test::golden_numbers("scikit_learn.json")["logistic"];
  const double ridge = theirs["ridge"];
  const MixtureLayout layout = problem.layout(1);
  const MixtureFit fit = fit_mixture(problem, {.expert = 1, .center = ridge, .baseline = ridge},
                                     layout, std::vector<double>(layout.size(), 0.0), {});
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(fit.theta[layout.baseline() + j], theirs["slopes"][j], kTolerance);
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(fit.theta[layout.expert(0) + j], theirs["slopes"][2 + j], kTolerance);
  EXPECT_NEAR(fit.theta[layout.baseline() + 2] + fit.theta[layout.expert(0) + 3],
              theirs["intercept"], kTolerance);
}

}  // namespace
}  // namespace otss
