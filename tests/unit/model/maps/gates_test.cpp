#include "model/maps/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/maps/quadratic.hpp"
#include "model/maps/soft_mixture.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> shares_of(const Gate& gate, std::vector<double> x) {
  std::vector<double> alpha(num_experts(gate));
  shares(gate, 1, x, alpha);
  return alpha;
}

TEST(QuadraticColumns, AreAllMonomialsOfDegreeOneAndTwo) {
  const std::vector<double> x{3, -2};
  std::vector<double> columns(num_quadratic_columns(2));
  quadratic_columns(x, columns);
  const double root = std::numbers::sqrt2;
  EXPECT_THAT(columns,
              ElementsAre(3, -2, DoubleNear(8 / root, 1e-15), -6, DoubleNear(3 / root, 1e-15)));
}

TEST(QuadraticGate, IsALinearGateOnItsColumns) {
  const LinearGate linear(5, {.1, .2, .3, .4, .5, -.5, -.4, -.3, -.2, -.1}, {1, -1});
  const QuadraticGate gate(2, linear);
  std::vector<double> columns(5);
  quadratic_columns(std::vector<double>{.7, -1.1}, columns);
  EXPECT_EQ(shares_of(gate, {.7, -1.1}), shares_of(linear, columns));
}

TEST(OneHotGate, GivesAllToTheLargestScoreAndTheFirstOfEquals) {
  const OneHotGate gate(LinearGate(1, {1, -1, 0}, {0, 0, 0}));
  EXPECT_THAT(shares_of(gate, {2}), ElementsAre(1, 0, 0));
  EXPECT_THAT(shares_of(gate, {-2}), ElementsAre(0, 1, 0));
  EXPECT_THAT(shares_of(gate, {0}), ElementsAre(1, 0, 0));
}

TEST(CenterGate, GivesAllToTheNearestCentre) {
  const CenterGate gate(2, {0, 0, 4, 0}, 2);
  EXPECT_THAT(shares_of(gate, {1, 3}), ElementsAre(1, 0));
  EXPECT_THAT(shares_of(gate, {3, -9}), ElementsAre(0, 1));
  EXPECT_THAT(shares_of(gate, {2, 1}), ElementsAre(1, 0));
}

TEST(NetworkGate, IsTheSoftmaxOfItsNetwork) {
  const NetworkGate gate(Network{1, 2, {2}, {.5}, {1, -1}, {.1, 0}});
  const double active = std::tanh(2 * .3 + .5);
  const double odds = std::exp((active + .1) - -active);
  EXPECT_THAT(shares_of(gate, {.3}),
              ElementsAre(DoubleNear(odds / (1 + odds), 1e-15), DoubleNear(1 / (1 + odds), 1e-15)));
}

TEST(NetworkGate, SurvivesScoresFarFromZero) {
  const NetworkGate gate(Network{1, 2, {}, {}, {}, {900, -900}});
  EXPECT_THAT(shares_of(gate, {0}), ElementsAre(1, 0));
}

TEST(AverageGate, MakesAnAverageOfMixturesOneMixture) {
  const LinearGate first(1, {1, -1}, {0, .2});
  const LinearGate second(1, {-.3, .4, .1}, {0, 1, 2});
  const SoftMixture a(LinearGate(first), 2, {1, 2, 3, 4});
  const SoftMixture b(LinearGate(second), 2, {5, 6, 7, 8, 9, 10});
  const SoftMixture mean(AverageGate(std::vector<AverageGate::Member>{{.25, first}, {.75, second}}),
                         2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  std::vector<double> wa(2), wb(2), w(2);
  const std::vector<double> x{.8};
  a.weights(x, wa);
  b.weights(x, wb);
  mean.weights(x, w);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(w[j], .25 * wa[j] + .75 * wb[j], 1e-14);
}

// One of each kind of gate, of one context and two experts.
std::vector<Gate> one_of_each() {
  const LinearGate linear(1, {1, -1}, {0, .2});
  return {linear,
          QuadraticGate(1, LinearGate(2, {.1, .2, .3, .4}, {1, -1})),
          NetworkGate(Network{1, 2, {2}, {.5}, {1, -1}, {.1, 0}}),
          OneHotGate(linear),
          CenterGate(1, {0, 4}, 2),
          AverageGate({{.25, LinearGate(1, {0}, {0})}, {.75, LinearGate(1, {0}, {1})}})};
}

TEST(Gate, OfEveryKindGivesARowTheSameBitsAloneAndInABatch) {
  const std::vector<double> x{-1.5, .3, 2.1, 9};
  for (const Gate& gate : one_of_each()) {
    ASSERT_EQ(num_contexts(gate), 1);
    ASSERT_EQ(num_experts(gate), 2);
    std::vector<double> together(x.size() * 2), alone;
    shares(gate, x.size(), x, together);
    for (const double context : x) {
      const std::vector<double> alpha = shares_of(gate, {context});
      EXPECT_NEAR(alpha[0] + alpha[1], 1, 1e-15);
      alone.insert(alone.end(), alpha.begin(), alpha.end());
    }
    EXPECT_EQ(together, alone) << word(kind_of(gate));
  }
}

TEST(Gate, OfEveryKindHasItsOwnWord) {
  std::vector<std::string> words;
  for (const Gate& gate : one_of_each()) words.emplace_back(word(kind_of(gate)));
  EXPECT_THAT(words, ElementsAre("linear", "quadratic", "mlp", "one-hot", "fixed", "average"));
}

TEST(Gate, OfEveryKindServesAMixtureItsShares) {
  for (const Gate& gate : one_of_each()) {
    const SoftMixture mixture(gate, 1, {10, 20});
    EXPECT_EQ(mixture.gate_kind(), kind_of(gate));
    const std::vector<double> x{.7};
    std::vector<double> alpha(2), w(1);
    mixture.shares(x, alpha);
    mixture.weights(x, w);
    EXPECT_EQ(alpha, shares_of(gate, x));
    EXPECT_NEAR(w[0], 10 * alpha[0] + 20 * alpha[1], 1e-13);
  }
}

TEST(LinearWeights, AreAffineInTheContext) {
  const LinearWeights map(2, {1, 2, 3, 4}, {5, 6});
  std::vector<double> w(2);
  map.weights(std::vector<double>{10, 100}, w);
  EXPECT_THAT(w, ElementsAre(5 + 210, 6 + 430));
}

}  // namespace
}  // namespace otss
