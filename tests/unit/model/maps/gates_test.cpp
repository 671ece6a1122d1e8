#include "otss/model/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "otss/model/quadratic.hpp"
#include "otss/model/weight_maps.hpp"

namespace otss {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<double> shares_of(const Gate& gate, std::vector<double> x) {
  std::vector<double> alpha(gate.num_experts());
  gate.shares(x, alpha);
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
  const SoftMixture a(std::make_shared<LinearGate>(first), 2, {1, 2, 3, 4});
  const SoftMixture b(std::make_shared<LinearGate>(second), 2, {5, 6, 7, 8, 9, 10});
  const SoftMixture mean(
      std::make_shared<AverageGate>(std::vector<AverageGate::Member>{{.25, first}, {.75, second}}),
      2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  std::vector<double> wa(2), wb(2), w(2);
  const std::vector<double> x{.8};
  a.weights(x, wa);
  b.weights(x, wb);
  mean.weights(x, w);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(w[j], .25 * wa[j] + .75 * wb[j], 1e-14);
}

TEST(WeightMaps, SpeakOfOtherUnitsWithTheSameScores) {
  const std::vector<double> scales{2, 10};
  const std::vector<std::shared_ptr<const WeightMap>> maps{
      std::make_shared<LinearWeights>(1, std::vector<double>{1, 2}, std::vector<double>{3, 4}),
      std::make_shared<NetworkWeights>(Network{1, 2, {2}, {.5}, {1, -1}, {.1, .3}}),
      std::make_shared<SoftMixture>(
          std::make_shared<LinearGate>(1, std::vector<double>{1, -1}, std::vector<double>{0, 0}), 2,
          std::vector<double>{1, 2, 3, 4})};
  const std::vector<double> x{.6};
  for (const auto& map : maps) {
    std::vector<double> w(2), scaled(2);
    map->weights(x, w);
    in_units(*map, scales)->weights(x, scaled);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(scaled[j], w[j] / scales[j], 1e-15);
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
