// The comparison methods whose weights are a smooth function of the context, against known truths.
#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "lab/worlds/truth.hpp"
#include "learn/deploy/assemble.hpp"
#include "learn/methods/linear.hpp"
#include "learn/methods/low_rank.hpp"
#include "learn/methods/mlp.hpp"
#include "learn/methods/network_mixture.hpp"
#include "learn/problem/quadratic_start.hpp"
#include "learn/problem/spectral_start.hpp"
#include "model/maps/gates.hpp"
#include "model/maps/weight_maps.hpp"
#include "unit/learn/contextual_problem.hpp"

namespace otss {
namespace {

using namespace internal;

using test::chosen_by;
using test::contextual_problem;
using test::Vector;
using test::weight_error;

Vector linear_truth(const Vector& x) { return {0.8 + 0.9 * x[0], -0.5 + 0.6 * x[1] - 0.4 * x[0]}; }

TEST(Linear, RecoversSlopesAndMainEffects) {
  const Problem problem = contextual_problem({.num_rows = 4000}, linear_truth);
  // Eight coefficients with standard errors of about sqrt(5 / 4000), twice over.
  EXPECT_LT(weight_error(chosen_by(*make_linear({}), problem).model, linear_truth), 0.02);
}

TEST(Linear, WithoutAnInterceptHasNoWeightsAtTheMeanContext) {
  const Problem problem = contextual_problem({}, linear_truth);
  const Choice choice = chosen_by(*make_linear({.no_intercept = true}), problem);
  EXPECT_FALSE(std::get<bool>(choice.settings[choice.chosen].at("intercept")));
  Vector w(2);
  as_scorer(choice.model.scorer).as_weight_map()->weights(Vector{0, 0, 0}, w);
  EXPECT_EQ(w, (Vector{0, 0}));
}

TEST(Linear, ShrinksToThePooledWeightsWhereThereIsNothingToFind) {
  const auto truth = [](const Vector&) { return Vector{0.8, -0.5}; };
  const Problem problem = contextual_problem({.num_contexts = 10}, truth);
  const auto method = make_linear({});
  const PooledFit pooled = fit_pooled(problem, 1);
  const StandardisedModel weakest = method->fit_all({problem, problem, pooled}).back();
  EXPECT_LT(weight_error(chosen_by(*method, problem).model, truth),
            0.5 * weight_error(weakest, truth));
}

TEST(LowRank, NeedsFewerRowsThanAFullMatrixWhereTheTruthIsLowRank) {
  const auto truth = [](const Vector& x) {
    const double score = 0.7 * (x[0] - x[1] + 0.5 * x[2]);
    return Vector{0.5 + score, -score, 0.5 * score, -0.5, 0.2 - score, score};
  };
  const Problem problem =
      contextual_problem({.num_rows = 1500, .num_contexts = 10, .num_factors = 6}, truth);
  const double full = weight_error(chosen_by(*make_linear({}), problem).model, truth);
  const double low = weight_error(chosen_by(*make_low_rank({}), problem).model, truth);
  EXPECT_LT(low, 0.6 * full);
}

TEST(LowRank, HasNoMoreDirectionsThanContextsOrFactors) {
  const Problem problem = contextual_problem({.num_rows = 200}, linear_truth);
  for (const NamedValues& setting : make_low_rank({})->settings(problem))
    EXPECT_LE(std::get<std::int64_t>(setting.at("rank")), 2);
}

TEST(Mlp, FindsWeightsThatAreNoLinearFunction) {
  const auto truth = [](const Vector& x) {
    return Vector{1.5 * std::tanh(2 * x[0]), 2 * std::tanh(x[1] * x[1] - 1)};
  };
  const Problem problem = contextual_problem({.num_rows = 3000}, truth);
  const double linear = weight_error(chosen_by(*make_linear({}), problem).model, truth);
  const double network = weight_error(chosen_by(*make_mlp({}), problem).model, truth);
  EXPECT_LT(network, 0.4 * linear);
}

TEST(CurvedStart, FindsTheDirectionOnBothSidesOfWhichWeightsDiffer) {
  const auto truth = [](const Vector& x) {
    const double q = (x[1] * x[1] - 1) / std::sqrt(2.0);
    return Vector{0.4 + 0.8 * q, -0.8 * q};
  };
  const Problem problem = contextual_problem({.num_rows = 4000}, truth);
  const QuadraticPair pair = find_quadratic_pair(problem, fit_pooled(problem, 1).fit.theta);
  EXPECT_GT(std::abs(pair.direction[1]), 0.95);
  EXPECT_GT(pair.difference[0], 0.3);
  EXPECT_LT(pair.difference[1], -0.3);
}

TEST(NetworkMixture, HasHalfTheRegretOfALinearGateWhereTheTruthIsQuadratic) {
  const Simulation s = simulate_overlap({.n = 3000, .score = ScoreForm::kQuadratic, .seed = 100});
  const LoggedData log = training_log(s);
  const Problem problem = whole_problem(log);
  const auto regret = [&](const StandardisedModel& model) {
    const Fitted fitted =
        assemble(log, whole_problem(log), model, Method::kOtss, Estimator::kMap, FitReport{});
    return score_against_truth(test_weights(s, fitted), s.test.weights, s.library).regret;
  };
  const PooledFit pooled = fit_pooled(problem, 1);
  Penalty penalty = pooled.penalty;
  penalty.gate = 15;
  penalty.expert = 2.5;
  const SpectralStart spectral(problem, pooled.fit.theta);
  const MixtureFit linear = fit_mixture(problem, penalty, problem.layout(2), spectral.start(2), {});
  const Choice network = chosen_by(*make_network_mixture({.experts = 2}), problem);
  EXPECT_LT(regret(network.model), 0.5 * regret(mixture_model(linear.layout, linear.theta)));
}

TEST(NetworkMixture, ChoosesAmongSeveralNumbersOfExpertsUnlessToldOne) {
  const Problem problem = contextual_problem({.num_rows = 200}, linear_truth);
  const auto experts = [](const NamedValues& setting) {
    return std::get<std::int64_t>(setting.at("experts"));
  };
  const auto three = make_network_mixture({.experts = 3})->settings(problem);
  EXPECT_EQ(experts(three.front()), 3);
  EXPECT_EQ(experts(three.back()), 3);
  const auto any = make_network_mixture({})->settings(problem);
  EXPECT_EQ(experts(any.front()), 2);
  EXPECT_EQ(experts(any.back()), 5);
}

std::vector<std::unique_ptr<ComparisonMethod>> all_methods() {
  std::vector<std::unique_ptr<ComparisonMethod>> methods;
  methods.push_back(make_linear({}));
  methods.push_back(make_linear({.no_intercept = true}));
  methods.push_back(make_low_rank({}));
  methods.push_back(make_mlp({}));
  methods.push_back(make_network_mixture({.experts = 2}));
  return methods;
}

TEST(ContextualMethods, GiveTheSameModelForAnyNumberOfThreads) {
  const Problem problem = contextual_problem({.num_rows = 1200}, linear_truth);
  for (const auto& method : all_methods()) {
    const Choice one = chosen_by(*method, problem, 1);
    const Choice two = chosen_by(*method, problem, 2);
    EXPECT_EQ(one.losses, two.losses);
    EXPECT_EQ(predictors(problem, one.model, 1), predictors(problem, two.model, 1));
  }
}

TEST(ContextualMethods, WorkWithoutContexts) {
  const auto truth = [](const Vector&) { return Vector{0.8, -0.5}; };
  const Problem problem = contextual_problem({.num_rows = 2000, .num_contexts = 0}, truth);
  for (const auto& method : all_methods()) {
    const Choice choice = chosen_by(*method, problem);
    EXPECT_EQ(choice.settings.size(), choice.losses.size());
    for (const double eta : predictors(problem, choice.model, 1)) ASSERT_TRUE(std::isfinite(eta));
  }
  EXPECT_LT(weight_error(chosen_by(*make_linear({}), problem).model, truth), 0.02);
  EXPECT_LT(weight_error(chosen_by(*make_low_rank({}), problem).model, truth), 0.02);
  EXPECT_LT(weight_error(chosen_by(*make_mlp({}), problem).model, truth), 0.02);
}

}  // namespace
}  // namespace otss
