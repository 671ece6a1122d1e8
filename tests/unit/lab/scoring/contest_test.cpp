#include "lab/scoring/contest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/worlds/truth.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;

Simulation small_world() { return simulate_overlap({.n = 600, .seed = 71}); }

MethodResult result(const std::string& name, double regret) {
  MethodResult one{name, {}};
  one.measured.regret = regret;
  return one;
}

TEST(Contest, ComparesEveryMethodWithTheReferenceSeedBySeed) {
  Contest contest;
  contest.add({result("a", 1), result("b", 2)});
  contest.add({result("a", 3), result("b", 5)});
  contest.reference = contest.index("b");
  EXPECT_DOUBLE_EQ(contest.mean(0, &Scorecard::regret), 2);
  EXPECT_DOUBLE_EQ(contest.deviation(0, &Scorecard::regret), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(contest.difference(0, &Scorecard::regret), 1.5);
  const Interval interval = contest.difference_interval(0, &Scorecard::regret);
  EXPECT_DOUBLE_EQ(interval.lo, 1);  // of two seeds, either may be drawn twice
  EXPECT_DOUBLE_EQ(interval.hi, 2);
  EXPECT_EQ(contest.index("c"), contest.names.size());
}

TEST(Contest, RefusesSeedsWithOtherMethods) {
  Contest contest;
  contest.add({result("a", 1)});
  EXPECT_THROW(contest.add({result("b", 1)}), std::logic_error);
}

TEST(RunEntrants, FitsEveryMethodOnTheSameRowsAndTheOracleToo) {
  const Simulation world = small_world();
  const std::vector<Entrant> entrants = {{"pooled", {.method = Method::kPooled}},
                                         {"linear", {.method = Method::kLinear}}};
  const auto training = run_entrants(world, entrants, {.refit = false});
  const auto all = run_entrants(world, entrants, {.refit = true});
  ASSERT_EQ(training.size(), 3u);
  EXPECT_EQ(training.back().method, kOracleGate);

  // Pooled chooses within its rows, so it is the fit of exactly those rows.
  const LoggedData log = training_log(world);
  const auto rows = fitted_rows(log, 1, {.refit = false});
  EXPECT_EQ(rows.size(), 480u);
  const Fitted by_hand = fit(rows_of(log, rows), {.method = Method::kPooled, .threads = 1});
  EXPECT_EQ(training[0].measured.weight_mse, measure(world, by_hand).weight_mse);
  EXPECT_EQ(training[2].measured.weight_mse,
            score_test_weights(world, oracle_gate_weights(world, rows)).weight_mse);
  for (std::size_t e = 0; e < all.size(); ++e)
    EXPECT_NE(training[e].measured.weight_mse, all[e].measured.weight_mse) << all[e].method;
}

TEST(Measure, RecordsWhatAppliesToTheModel) {
  const Simulation world = small_world();
  const LoggedData log = training_log(world);
  const Scorecard soft =
      measure(world, fit(log, {.estimator = Estimator::kMap, .experts = 2, .threads = 1}));
  EXPECT_EQ(soft.experts, 2);
  EXPECT_GT(soft.cluster_alignment, 0.1);
  EXPECT_LE(soft.regret, soft.regret_bound);
  EXPECT_GT(soft.effective_experts, 1);

  const Scorecard trees = measure(world, fit(log, {.method = Method::kGbm, .threads = 1}));
  EXPECT_GT(trees.regret, 0);
  EXPECT_TRUE(std::isnan(trees.weight_mse));
  EXPECT_TRUE(std::isnan(trees.experts));
}

TEST(Measure, SaysWhatTheTruthItselfUsesForTheOracle) {
  const Simulation world = small_world();
  const Scorecard oracle = measure_oracle(world, oracle_gate_weights(world));
  EXPECT_DOUBLE_EQ(oracle.cluster_alignment, 1);
  EXPECT_GT(oracle.effective_experts, 1.5);
  EXPECT_LT(oracle.effective_experts, 2);
}

TEST(ScoreTestDecisions, IsTheRegretOfTheWeightsWhereAModelHasThem) {
  const Simulation world = small_world();
  const Fitted fitted = fit(training_log(world), {.method = Method::kLinear, .threads = 1});
  const TruthScore by_weights = score_test_weights(world, test_weights(world, fitted));
  const TruthScore by_scores = score_test_decisions(world, fitted);
  EXPECT_NEAR(by_scores.regret, by_weights.regret, 1e-12);
  EXPECT_DOUBLE_EQ(by_scores.match_rate, by_weights.match_rate);
}

}  // namespace
}  // namespace otss
