#include "learn/methods/em.hpp"

#include <gtest/gtest.h>

#include "learn/probabilities/routed_fit.hpp"
#include "learn/problem/spectral_start.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// As good as none, yet with one optimum.
const Penalty kNoPenalty{
    .gate = 1e-7, .gate_intercept = 1e-7, .expert = 1e-7, .center = 1e-7, .baseline = 1e-7};

TEST(Em, RecoversATwoComponentMixture) {
  const auto method = make_em({.experts = 2});
  const Problem problem = test::problem_of(test::two_trade_offs(8000, 0.5, 12));
  const StandardisedModel model = test::fit_setting(*method, problem, 0);
  EXPECT_TRUE(model.mixes_probabilities);
  // Far to either side the gate has decided: the experts' own weights.
  const std::vector<double> right = test::weights_at(model, {4, 0});
  const std::vector<double> left = test::weights_at(model, {-4, 0});
  EXPECT_NEAR(right[0], 2, 0.35);
  EXPECT_NEAR(right[1], -1, 0.35);
  EXPECT_NEAR(left[0], -2, 0.35);
  EXPECT_NEAR(left[1], 1, 0.35);
  // In the middle it is undecided: P(first) = sigma(x1 / 0.5), and weights cancel.
  EXPECT_NEAR(test::weights_at(model, {0, 0})[0], 0, 0.5);
}

TEST(Em, IsAsLikelyAsFlexmixWithoutPenalties) {
  const Problem problem = test::problem_of(test::golden_rows());
  const PooledFit pooled = fit_pooled(problem, 1);
  const SpectralStart spectral(problem, pooled.fit.theta);
  const MixtureLayout layout = problem.layout(2);
  const RoutedFit fit = fit_routed(problem, {}, kNoPenalty, layout, spectral.start(2),
                                   {.tolerance = 1e-12, .max_evaluations = 2000});
  const double theirs = test::golden_numbers("flexmix.json")["log_likelihood"];
  const double ours = -fit.objective * problem.rows.total();
  EXPECT_GE(ours, theirs - 1e-4);
  EXPECT_NEAR(ours, theirs, 0.01) << "another optimum than flexmix's best of ten starts";
}

TEST(Em, DoesNotDependOnTheNumberOfThreads) {
  const Problem problem = test::problem_of(test::two_trade_offs(1000, 0.5, 13));
  const auto method = make_em({.experts = 2});
  const StandardisedModel one = test::fit_setting(*method, problem, 3, 1);
  const StandardisedModel three = test::fit_setting(*method, problem, 3, 3);
  EXPECT_EQ(test::weights_at(one, {0.3, 0.4}), test::weights_at(three, {0.3, 0.4}));
}

TEST(Em, IgnoresRowsWithoutWeight) {
  std::vector<test::Row> rows = test::two_trade_offs(1000, 0.5, 14);
  const StandardisedModel clean =
      test::fit_setting(*make_em({.experts = 2}), test::problem_of(rows), 3);
  test::Row stray = rows.front();
  stray.z = {40, 40};
  stray.weight = 0;
  rows.insert(rows.end(), 50, stray);
  const StandardisedModel model =
      test::fit_setting(*make_em({.experts = 2}), test::problem_of(rows), 3);
  EXPECT_NEAR(test::weights_at(model, {1, 0})[0], test::weights_at(clean, {1, 0})[0], 1e-3);
}

}  // namespace
}  // namespace otss
