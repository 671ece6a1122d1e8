#include "learn/distill.hpp"

#include <gtest/gtest.h>

#include "lab/simulation.hpp"
#include "learn/pooled.hpp"
#include "learn/spectral_start.hpp"

namespace otss {
namespace {

class DistillerTest : public testing::Test {
 protected:
  DistillerTest() : log(training_log(simulate_overlap({.n = 1500, .seed = 61}))) {}

  std::vector<double> fitted(int experts) const {
    const Penalty penalty{.gate = 5, .expert = 4};
    const std::vector<double> start = SpectralStart(problem, pooled.fit.theta).start(experts);
    return fit_mixture(problem, penalty, problem.layout(experts), start, {}).theta;
  }

  LoggedData log;
  Problem problem = whole_problem(log);
  PooledFit pooled = fit_pooled(problem, 1);
};

TEST_F(DistillerTest, LosesNothingOfOneMember) {
  const std::vector<double> theta = fitted(2);
  const Distiller distiller(problem, {{1, problem.layout(2), theta}});
  const Distilled distilled = distiller.into(2, SpectralStart(problem, pooled.fit.theta).start(2));
  EXPECT_LT(distilled.loss.relative, 1e-3);
  EXPECT_LT(distilled.loss.rms, 0.03);
  EXPECT_LT(distilled.loss.changed_decisions, 0.02);
}

TEST_F(DistillerTest, LosesAllHeterogeneityInOneExpert) {
  const Distiller distiller(problem, {{1, problem.layout(2), fitted(2)}});
  const Distilled distilled = distiller.into(1, pooled.fit.theta);
  EXPECT_NEAR(distilled.loss.relative, 1, 1e-3);
  EXPECT_GT(distilled.loss.changed_decisions, 0.2);
}

TEST_F(DistillerTest, AveragesTheBaselineAsItIs) {
  const std::vector<double> two = fitted(2);
  const MixtureLayout one = pooled.fit.layout;
  const MixtureLayout layout = problem.layout(2);
  const Distiller distiller(problem, {{0.25, one, pooled.fit.theta}, {0.75, layout, two}});
  const Distilled distilled = distiller.into(2, two);
  for (int j = 0; j <= layout.num_contexts; ++j) {
    EXPECT_DOUBLE_EQ(
        distilled.theta[layout.baseline() + j],
        0.25 * pooled.fit.theta[one.baseline() + j] + 0.75 * two[layout.baseline() + j]);
  }
}

}  // namespace
}  // namespace otss
