#include "learn/averaging/distill.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "otss/model/diagnostics.hpp"

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

double effective_experts(const Problem& problem, const Distilled& distilled) {
  const StandardisedModel model = mixture_model(distilled.layout, distilled.theta);
  const SoftMixture& mixture = mixture_of(model);
  GateUseCounter counter;
  std::vector<double> x(problem.num_contexts), alpha(mixture.num_experts());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    for (int j = 0; j < problem.num_contexts; ++j) x[j] = problem.features->at(i, j);
    mixture.shares(x, alpha);
    counter.add(alpha);
  }
  return counter.result().effective_experts;
}

TEST_F(DistillerTest, UsesFewExpertsWhereFewAreEnough) {
  const std::vector<double> theta = fitted(2);
  const Distiller distiller(problem, {{1, problem.layout(2), theta}});
  const double enough = effective_experts(problem, {problem.layout(2), theta, {}});
  const Distilled six = distiller.into(6, fitted(6));
  EXPECT_LT(effective_experts(problem, six), enough + 0.4);
  EXPECT_LT(six.loss.relative, 0.015);
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
