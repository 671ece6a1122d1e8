#include "learn/methods/contextual/contextual_fit.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "learn/methods/linear.hpp"
#include "learn/methods/low_rank.hpp"
#include "learn/methods/mlp.hpp"
#include "learn/methods/network_mixture.hpp"
#include "unit/learn/contextual_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::Vector;

constexpr double kBaselinePenalty = 0.7;

std::vector<std::unique_ptr<WeightFunction>> functions(int p, int num_factors) {
  const Penalty penalty{.gate_intercept = 0.8, .expert = 2, .center = 0.4};
  std::vector<std::unique_ptr<WeightFunction>> all;
  all.push_back(
      std::make_unique<LinearFunction>(LinearFunction::Shape{p, num_factors, true}, 2, 0.3));
  all.push_back(
      std::make_unique<LinearFunction>(LinearFunction::Shape{p, num_factors, false}, 2, 0.3));
  all.push_back(
      std::make_unique<LowRankFunction>(LowRankFunction::Shape{p, num_factors, 2}, 2, 0.3));
  all.push_back(std::make_unique<NetworkFunction>(NetworkLayout{p, 4, num_factors}, 2, 0.3));
  all.push_back(
      std::make_unique<NetworkMixtureFunction>(NetworkLayout{p, 4, 3}, num_factors, 2, penalty));
  return all;
}

Problem weighted_problem(int p) {
  Problem problem =
      test::contextual_problem({.num_rows = 300, .num_contexts = p}, [](const Vector&) {
        return Vector{0.8, -0.5};
      });
  std::vector<float> outcomes(300);
  std::vector<float> weights(300);
  for (std::size_t i = 0; i < 300; ++i) {
    outcomes[i] = problem.rows[i] > 0 ? 1.0F : 0.0F;
    weights[i] = static_cast<float>(i % 4);  // every fourth row does not count
  }
  problem.rows = SignedWeights(outcomes, weights);
  return problem;
}

Vector random_point(std::size_t size) {
  Rng rng(5);
  Vector theta(size);
  for (double& value : theta) value = 0.5 * rng.normal();
  return theta;
}

struct Evaluated {
  double value;
  Vector gradient;
};

Evaluated evaluate(const Problem& problem, const WeightFunction& function, const Vector& theta,
                   int num_threads = 1) {
  ContextualObjective objective(problem, function, kBaselinePenalty, num_threads);
  Evaluated result{0, Vector(objective.size())};
  result.value = objective.evaluate(theta, result.gradient);
  return result;
}

Vector point_for(const Problem& problem, const WeightFunction& function) {
  return random_point(function.size() + problem.num_contexts + 1);
}

TEST(ContextualObjective, GradientEqualsFiniteDifferencesForEveryFunction) {
  constexpr double kStep = 1e-5;
  for (const int p : {0, 3}) {
    const Problem problem = weighted_problem(p);
    for (const auto& function : functions(p, 2)) {
      Vector theta = point_for(problem, *function);
      const Vector gradient = evaluate(problem, *function, theta).gradient;
      for (std::size_t i = 0; i < theta.size(); ++i) {
        const double kept = theta[i];
        theta[i] = kept + kStep;
        const double above = evaluate(problem, *function, theta).value;
        theta[i] = kept - kStep;
        const double below = evaluate(problem, *function, theta).value;
        theta[i] = kept;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-8) << "entry " << i;
      }
    }
  }
}

TEST(ContextualObjective, CountsARowOfWeightThreeThreeTimes) {
  const Problem weighted = weighted_problem(3);
  std::vector<std::size_t> repeated;
  for (std::size_t i = 0; i < weighted.num_rows(); ++i) {
    for (int copy = 0; copy < std::abs(weighted.rows[i]); ++copy) repeated.push_back(i);
  }
  auto features = std::make_shared<TileMatrix>(repeated.size(), weighted.features->num_columns());
  std::vector<float> outcomes;
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    for (int c = 0; c < features->num_columns(); ++c)
      features->at(i, c) = weighted.features->at(repeated[i], c);
    outcomes.push_back(weighted.rows[repeated[i]] > 0 ? 1.0F : 0.0F);
  }
  const Problem copies{features, 3, SignedWeights(outcomes)};
  for (const auto& function : functions(3, 2)) {
    const Vector theta = point_for(weighted, *function);
    EXPECT_NEAR(evaluate(weighted, *function, theta).value,
                evaluate(copies, *function, theta).value, 1e-13);
  }
}

TEST(ContextualObjective, DoesNotLookAtRowsOfWeightZero) {
  const Problem problem = weighted_problem(3);
  auto spoiled = std::make_shared<TileMatrix>(problem.num_rows(), problem.features->num_columns());
  for (std::size_t i = 0; i < problem.num_rows(); ++i) {
    for (int c = 0; c < spoiled->num_columns(); ++c)
      spoiled->at(i, c) = problem.rows[i] == 0 ? 50.0F : problem.features->at(i, c);
  }
  const Problem other{spoiled, 3, problem.rows};
  for (const auto& function : functions(3, 2)) {
    const Vector theta = point_for(problem, *function);
    EXPECT_DOUBLE_EQ(evaluate(problem, *function, theta).value,
                     evaluate(other, *function, theta).value);
  }
}

TEST(ContextualObjective, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = test::contextual_problem({.num_rows = 3000}, [](const Vector& x) {
    return Vector{x[0], -0.5};
  });
  for (const auto& function : functions(3, 2)) {
    const Vector theta = point_for(problem, *function);
    const Evaluated one = evaluate(problem, *function, theta, 1);
    const Evaluated three = evaluate(problem, *function, theta, 3);
    EXPECT_EQ(one.value, three.value);
    EXPECT_EQ(one.gradient, three.gradient);
  }
}

TEST(ContextualFit, PredictsWithItsModelWhatItFitted) {
  const Problem problem = weighted_problem(3);
  for (const auto& function : functions(3, 2)) {
    const Vector theta = point_for(problem, *function);
    const Vector eta = predictors(problem, contextual_model(*function, theta), 1);
    double loss = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const double row = problem.rows[i];
      loss += std::abs(row) * std::log1p(std::exp(row > 0 ? -eta[i] : eta[i]));
    }
    Vector unused(function->size() + 3);
    const double penalty =
        function->add_penalty(std::span(theta).first(function->size()), unused) +
        add_ridge(kBaselinePenalty, std::span(theta).subspan(function->size(), 3), unused);
    EXPECT_NEAR(evaluate(problem, *function, theta).value, (loss + penalty) / problem.rows.total(),
                1e-12);
  }
}

TEST(ContextualFit, PassesOverManyRowsFromASubsamplesOptimum) {
  const auto truth = [](const Vector& x) { return Vector{x[0], -0.5}; };
  const Problem problem = test::contextual_problem({.num_rows = 70'000, .num_contexts = 2}, truth);
  const LinearFunction function({2, 2, true}, 1, 0.1);
  const PooledFit pooled = fit_pooled(problem, 1);
  const Vector start = contextual_start(pooled, Vector(function.size()));
  const ContextualFit found = fit_contextual(problem, function, 0.1, start, {});
  // Six coefficients with standard errors of about sqrt(5 / 70000).
  EXPECT_LT(test::weight_error(contextual_model(function, found.theta), truth), 0.002);
  EXPECT_LT(found.evaluations, 80);
}

}  // namespace
}  // namespace otss
