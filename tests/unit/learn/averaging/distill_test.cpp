#include "learn/averaging/distill.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "learn/deploy/standardised_model.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "otss/model/diagnostics.hpp"
#include "unit/learn/gradient_check.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

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

TEST(DistillingObjective, HasTheGradientOfItsValue) {
  const Problem problem = test::problem_of(test::two_trade_offs(200, 0.5, 9));
  const MixtureLayout two = problem.layout(2);
  const MixtureLayout three = problem.layout(3);
  const Distiller distiller(
      problem, {{0.4, two, random_theta(two, 1)}, {0.6, three, random_theta(three, 2)}});
  for (const int experts : {1, 2, 4}) {
    const MixtureLayout layout = problem.layout(experts);
    for (const double entropy_price : {0.0, 0.5}) {
      const auto objective = distiller.objective(layout, entropy_price);
      const std::vector<double> theta = random_theta(layout, 3);
      std::vector<double> gradient(layout.size());
      objective->evaluate(theta, gradient);
      const auto value = [&](const std::vector<double>& point) {
        std::vector<double> ignored(point.size());
        return objective->evaluate(point, ignored);
      };
      const std::vector<double> slopes = finite_differences(value, theta);
      for (std::size_t i = 0; i < slopes.size(); ++i) {
        EXPECT_NEAR(gradient[i], slopes[i], 1e-8 + 1e-6 * std::abs(slopes[i]))
            << experts << " experts, entropy at " << entropy_price << ", entry " << i;
      }
    }
  }
}

TEST(DistillingObjective, IsLeastAtTheOnlyMember) {
  const Problem problem = test::problem_of(test::two_trade_offs(200, 0.5, 9));
  const MixtureLayout layout = problem.layout(2);
  const std::vector<double> member = random_theta(layout, 1);
  const Distiller distiller(problem, {{1, layout, member}});
  const auto objective = distiller.objective(layout, 0);
  std::vector<double> gradient(layout.size());
  EXPECT_LT(objective->evaluate(member, gradient), 1e-4);  // the gate's ridge alone
  EXPECT_GT(objective->evaluate(random_theta(layout, 4), gradient), 0.1);
}

}  // namespace
}  // namespace otss
