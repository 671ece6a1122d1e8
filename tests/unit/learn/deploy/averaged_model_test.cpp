#include "learn/deploy/averaged_model.hpp"

#include <gtest/gtest.h>

#include "model/predictor.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kContexts = 2;
constexpr int kFactors = 3;

const std::vector<double> kSomeContext{0.4, -1.1};
const std::vector<double> kSomeFactors{0.2, 1.5, -0.7};

std::vector<double> draws(std::uint64_t seed, int count) {
  Rng rng(seed);
  return test::normals(rng, count);
}

Baseline baseline(std::uint64_t seed, int num_experts) {
  Baseline result;
  result.intercept = draws(seed, 1)[0];
  result.slopes = draws(seed + 1, kContexts);
  result.expert_intercepts = draws(seed + 2, num_experts);
  return result;
}

StandardisedModel mixture(Gate gate, std::uint64_t seed) {
  const int experts = num_experts(gate);
  return {std::make_shared<SoftMixture>(std::move(gate), kFactors, draws(seed, experts * kFactors)),
          baseline(seed, experts)};
}

LinearGate linear_gate(std::uint64_t seed, int experts) {
  return {kContexts, draws(seed, experts * kContexts), draws(seed + 1, experts)};
}

Network network(std::uint64_t seed, int hidden, int outputs) {
  return {kContexts,
          outputs,
          draws(seed, hidden * kContexts),
          draws(seed + 1, hidden),
          draws(seed + 2, outputs * hidden),
          draws(seed + 3, outputs)};
}

double predictor(const StandardisedModel& model) {
  return linear_predictor(as_scorer(model.scorer), model.baseline, model.mixes_probabilities,
                          kSomeContext, kSomeFactors);
}

// Expects that weights and predictors of the average are the averages.
void expect_average(const StandardisedModel& a, const StandardisedModel& b) {
  const StandardisedModel average = averaged_model({{1, a}, {3, b}});
  EXPECT_NEAR(predictor(average), 0.25 * predictor(a) + 0.75 * predictor(b), 1e-12);
  if (as_scorer(a.scorer).as_weight_map() == nullptr) return;
  const auto w = test::weights_at(average, kSomeContext);
  const auto of_a = test::weights_at(a, kSomeContext);
  const auto of_b = test::weights_at(b, kSomeContext);
  for (int j = 0; j < kFactors; ++j) EXPECT_NEAR(w[j], 0.25 * of_a[j] + 0.75 * of_b[j], 1e-12);
}

TEST(AveragedModel, OfMixturesIsExactForEveryKindOfGate) {
  expect_average(mixture(linear_gate(1, 2), 2), mixture(linear_gate(3, 3), 4));
  expect_average(mixture(OneHotGate(linear_gate(1, 3)), 2), mixture(linear_gate(3, 1), 4));
  expect_average(mixture(CenterGate(kContexts, draws(1, 8), 4), 2),
                 mixture(CenterGate(kContexts, draws(3, 4), 2), 4));
  expect_average(mixture(NetworkGate(network(1, 4, 2)), 2), mixture(linear_gate(3, 1), 4));
}

TEST(AveragedModel, OfLinearWeightsAndNetworksIsExact) {
  const auto linear = [](std::uint64_t seed) {
    return StandardisedModel{
        std::make_shared<LinearWeights>(kContexts, draws(seed, kContexts * kFactors),
                                        draws(seed, kFactors)),
        baseline(seed, 0)};
  };
  expect_average(linear(1), linear(2));
  const auto net = [](std::uint64_t seed, int hidden) {
    return StandardisedModel{std::make_shared<NetworkWeights>(network(seed, hidden, kFactors)),
                             baseline(seed, 0)};
  };
  expect_average(net(1, 4), net(2, 3));
}

TEST(AveragedModel, OfTreesIsExact) {
  const auto trees = [](double leaf) {
    const Tree tree = {{0, 0.1, 1, 2}, {TreeNode::kLeaf, leaf}, {TreeNode::kLeaf, -leaf}};
    return StandardisedModel{
        std::make_shared<TreeScorer>(kContexts, kFactors, std::vector<Tree>{tree, tree}),
        baseline(7, 0)};
  };
  expect_average(trees(0.5), trees(2));
}

// With equal slopes of the baselines, the average of probabilities is exact too.
TEST(AveragedModel, OfMixturesOfProbabilitiesAveragesProbabilities) {
  StandardisedModel a = mixture(linear_gate(1, 2), 2);
  StandardisedModel b = mixture(linear_gate(3, 3), 4);
  a.mixes_probabilities = b.mixes_probabilities = true;
  b.baseline.slopes = a.baseline.slopes;
  const StandardisedModel average = averaged_model({{0.25, a}, {0.75, b}});
  EXPECT_TRUE(average.mixes_probabilities);
  EXPECT_NEAR(test::logistic(predictor(average)),
              0.25 * test::logistic(predictor(a)) + 0.75 * test::logistic(predictor(b)), 1e-12);
}

TEST(AveragedModel, TakesThePooledModelInEveryForm) {
  const StandardisedModel pooled = mixture(linear_gate(5, 1), 6);
  const StandardisedModel linear{std::make_shared<LinearWeights>(
                                     kContexts, draws(1, kContexts * kFactors), draws(2, kFactors)),
                                 baseline(3, 0)};
  const StandardisedModel net{std::make_shared<NetworkWeights>(network(1, 4, kFactors)),
                              baseline(3, 0)};
  for (const StandardisedModel& form : {linear, net, mixture(linear_gate(1, 2), 2)}) {
    const StandardisedModel same = with_form_of(form, pooled);
    EXPECT_EQ(same.scorer.index(), form.scorer.index());
    EXPECT_NEAR(predictor(same), predictor(pooled), 1e-12);
    expect_average(form, same);
  }
}

}  // namespace
}  // namespace otss
