#include "lab/scoring/promises.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "otss/learn/fit.hpp"

namespace otss::internal {
namespace {

Scorecard promises_of(const Simulation& simulation, FitOptions options) {
  options.threads = 1;
  Scorecard measured;
  measure_promises(simulation, fit(training_log(simulation), options), measured);
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

}  // namespace
}  // namespace otss::internal
