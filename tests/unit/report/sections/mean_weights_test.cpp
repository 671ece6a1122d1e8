#include "report/sections/mean_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otss/model/uncertainty.hpp"
#include "unit/report/logged_world.hpp"

namespace otss::internal {
namespace {

const std::vector<double> kOneContext = {0.3, -0.2, 1, -1};
const std::vector<double> kTwoContexts = {0.3, -0.2, 1, -1, -1.4, -0.2, -1, 1};

TEST(WithIntervals, AreThoseOfTheWeightsIfThereIsOneContext) {
  const Fitted model = two_experts();
  std::vector<double> lo(2), hi(2);
  model.intervals(kOneContext, kReportLevel, lo, hi);
  const std::vector<double> mean = mean_weights(model, kOneContext);
  const std::vector<Estimate> found = with_intervals(model, mean, kOneContext);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_DOUBLE_EQ(found[j].value, mean[j]);
    EXPECT_DOUBLE_EQ(found[j].lo, lo[j]);
    EXPECT_DOUBLE_EQ(found[j].hi, hi[j]);
  }
}

TEST(MeanWeights, AreMeansOverContexts) {
  const Fitted model = two_experts();
  std::vector<double> w(4), alpha(4);
  model.weight_map().weights(2, kTwoContexts, w);
  model.mixture()->shares(2, kTwoContexts, alpha);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_DOUBLE_EQ(mean_weights(model, kTwoContexts)[j], (w[j] + w[2 + j]) / 2);
    EXPECT_DOUBLE_EQ(mean_shares(model, kTwoContexts)[j], (alpha[j] + alpha[2 + j]) / 2);
  }
}

TEST(WithIntervals, OfAMeanAreNotWiderThanTheMeanOfTheIntervals) {
  const Fitted model = two_experts();
  const std::vector<double> first(kTwoContexts.begin(), kTwoContexts.begin() + 4);
  const std::vector<double> second(kTwoContexts.begin() + 4, kTwoContexts.end());
  const std::vector<double> zeros(2, 0.0);
  const auto both = with_intervals(model, zeros, kTwoContexts);
  const auto one = with_intervals(model, zeros, first);
  const auto other = with_intervals(model, zeros, second);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LE(both[j].hi, (one[j].hi + other[j].hi) / 2 * (1 + 1e-12));
    EXPECT_GT(both[j].hi, 0);
  }
}

TEST(SharesOfWeights, ReturnsTheSharesWhoseWeightsWereGiven) {
  const Fitted model = two_experts();
  const SharesOfWeights conversion(*model.mixture(), std::vector<double>{1, 3});
  ASSERT_TRUE(conversion.is_determined());
  // The experts are (-1, 0.5) and (0.3, 1.2). A share that moves by 0.1 from the second to the first
  // moves the weights by 0.1 times their difference.
  const std::vector<double> changes = {-0.13, -0.07, 0.26, 0.14};
  const std::vector<double> shares = conversion.shares(changes);
  EXPECT_THAT(shares, testing::ElementsAre(
                          testing::DoubleNear(0.1, 1e-12), testing::DoubleNear(-0.1, 1e-12),
                          testing::DoubleNear(-0.2, 1e-12), testing::DoubleNear(0.2, 1e-12)));
}

TEST(SharesOfWeights, AreNotDeterminedIfAnExpertIsAnAverageOfOthers) {
  const SoftMixture mixture(LinearGate(1, std::vector<double>(3, 0.0), std::vector<double>(3, 0.0)),
                            2, std::vector<double>{0, 0, 2, 2, 1, 1});
  EXPECT_FALSE(SharesOfWeights(mixture, std::vector<double>{1, 1}).is_determined());
}

}  // namespace
}  // namespace otss::internal
