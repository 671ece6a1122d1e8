#include "model/maps/mixed_experts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace otss {
namespace {

using namespace internal;

std::vector<double> softmax(const std::vector<double>& scores) {
  std::vector<double> shares;
  double total = 0;
  for (const double score : scores) total += std::exp(score);
  for (const double score : scores) shares.push_back(std::exp(score) / total);
  return shares;
}

double logit(double p) { return std::log(p / (1 - p)); }

TEST(MixedExperts, AverageThePredictorsOrTheProbabilities) {
  const std::vector<double> alpha{0.25, 0.75};
  const std::vector<double> eta{logit(0.9), logit(0.3)};
  EXPECT_NEAR(mixed_predictor(Mixed::kPredictors, alpha, eta), 0.25 * eta[0] + 0.75 * eta[1],
              1e-14);
  EXPECT_NEAR(mixed_predictor(Mixed::kProbabilities, alpha, eta), logit(0.25 * 0.9 + 0.75 * 0.3),
              1e-14);
}

TEST(MixedExperts, EffectsAreTheDerivatives) {
  const std::vector<double> scores{0.3, -1, 0.5};
  const std::vector<double> eta{2, -0.4, 0.7};
  constexpr double kStep = 1e-6;
  for (const Mixed mixed : {Mixed::kPredictors, Mixed::kProbabilities}) {
    std::vector<double> by_score(3);
    std::vector<double> by_predictor(3);
    expert_effects(mixed, softmax(scores), eta, by_score, by_predictor);
    for (int k = 0; k < 3; ++k) {
      auto up = scores, down = scores;
      up[k] += kStep;
      down[k] -= kStep;
      EXPECT_NEAR(
          by_score[k],
          (mixed_predictor(mixed, softmax(up), eta) - mixed_predictor(mixed, softmax(down), eta)) /
              (2 * kStep),
          1e-8);
      auto above = eta, below = eta;
      above[k] += kStep;
      below[k] -= kStep;
      EXPECT_NEAR(by_predictor[k],
                  (mixed_predictor(mixed, softmax(scores), above) -
                   mixed_predictor(mixed, softmax(scores), below)) /
                      (2 * kStep),
                  1e-8);
    }
  }
}

TEST(MixedExperts, EffectsAreFiniteWhereProbabilitiesAreRoundedToZero) {
  std::vector<double> by_score(2);
  std::vector<double> by_predictor(2);
  expert_effects(Mixed::kProbabilities, std::vector<double>{0.5, 0.5},
                 std::vector<double>{-2000, -1500}, by_score, by_predictor);
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(std::isfinite(by_score[k]));
    EXPECT_TRUE(std::isfinite(by_predictor[k]));
  }
}

}  // namespace
}  // namespace otss
