#include "lab/scoring/promises.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "otss/learn/fit.hpp"

namespace otss::internal {
namespace {

Scorecard promises_of(const Simulation& simulation, FitOptions options) {
  options.threads = 1;
  const Fitted fitted = fit(training_log(simulation), options);
  Scorecard measured = measure(simulation, fitted);
  measure_promises(simulation, fitted, measured);
  return measured;
}

TEST(Promises, OfOneTradeOffHoldWhereThereIsOne) {
  const Scorecard measured =
      promises_of(simulate_pooled({.n = 4000, .seed = 3}), {.method = Method::kPooled});
  // All contexts have the same eight weights; an interval misses with probability 0.1.
  EXPECT_GE(measured.coverage, 0.5);
  EXPECT_LE(measured.certified_wrong, measured.certified);
  EXPECT_TRUE(std::isnan(measured.known_share));
  EXPECT_EQ(measured.flagged, 0);
}

TEST(Promises, OfASmallLogAreFlaggedAndCertifyNothing) {
  const Scorecard measured = promises_of(simulate_matched({.n = 400, .seed = 3}),
                                         {.estimator = Estimator::kMap, .experts = 3});
  EXPECT_LT(measured.known_share, 0.5);
  EXPECT_EQ(measured.flagged, 1);
  EXPECT_EQ(measured.certified, 0);
}

// In both logs the default finds one trade-off for everybody. Only the first log has one.
TEST(Promises, OfOneTradeOffDependOnWhetherTheLogExcludesDifferences) {
  const Scorecard alike = promises_of(simulate_pooled({.n = 1000, .seed = 900302}), {});
  ASSERT_EQ(alike.experts, 1);
  EXPECT_GT(alike.known_share, 0.5);
  EXPECT_EQ(alike.flagged, 0);
  EXPECT_GE(alike.coverage, 0.85);
  const Scorecard different =
      promises_of(simulate_matched({.n = 1000, .truth = TruthForm::kHard, .seed = 900401}), {});
  ASSERT_EQ(different.experts, 1);
  EXPECT_LT(different.known_share, 0.5);
  EXPECT_EQ(different.flagged, 1);
  EXPECT_EQ(different.certified, 0);
}

}  // namespace
}  // namespace otss::internal
