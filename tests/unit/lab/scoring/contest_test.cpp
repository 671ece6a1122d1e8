#include "lab/scoring/contest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/scoring/known_outcome.hpp"
#include "lab/worlds/oracle_gate.hpp"
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
  EXPECT_EQ(contest.index("c"), contest.names.size());
}

TEST(Contest, HasNoIntervalOverFewerThanFiveSeeds) {
  Contest contest;
  for (int seed = 0; seed < 4; ++seed) contest.add({result("a", seed), result("b", 3 * seed)});
  EXPECT_TRUE(std::isnan(contest.difference_interval(1, &Scorecard::regret).lo));
  contest.add({result("a", 4), result("b", 12)});
  const Interval interval = contest.difference_interval(1, &Scorecard::regret);
  EXPECT_LT(interval.lo, -4);
  EXPECT_GT(interval.hi, -4);
}

TEST(Contest, ComparesEachMethodWithItsOwnReference) {
  Contest contest;
  contest.add({result("a", 1), result("b", 2), result("c", 5)});
  contest.references = {0, 0, 1};
  EXPECT_DOUBLE_EQ(contest.difference(1, &Scorecard::regret), -1);
  EXPECT_DOUBLE_EQ(contest.difference(2, &Scorecard::regret), -3);
  EXPECT_DOUBLE_EQ(contest.difference(0, 2, &Scorecard::regret), -4);
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

TEST(RunEntrants, FitsEachEntrantWithItsOwnTreatmentAndRows) {
  const Simulation world = small_world();
  const FitOptions em{.method = Method::kEm, .experts = 2};
  const auto found = run_entrants(world,
                                  {{"em", em, Treatment::kPick, false, true},
                                   {"em-average", em, Treatment::kAverage},
                                   {"em-training", em, Treatment::kPick, true}},
                                  {.refit = true});
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[1].method, "em-known-outcome");
  for (std::size_t a = 0; a < found.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_NE(found[a].measured.weight_mse, found[b].measured.weight_mse)
          << found[a].method << " and " << found[b].method;
  }
}

// The responsibilities average to the shares over the outcomes, weighted with their probabilities.
TEST(KnownOutcome, AveragesToTheGateOverTheOutcomes) {
  Simulation world = small_world();
  const Fitted fitted =
      fit(training_log(world), {.method = Method::kEm, .experts = 2, .threads = 1});
  const std::vector<double> by_gate = test_weights(world, fitted);
  std::vector<std::vector<double>> given(2);
  for (const int outcome : {0, 1}) {
    std::ranges::fill(world.test.outcomes, outcome);
    given[outcome] = known_outcome_weights(world, fitted);
  }
  const std::vector<double> x = encoded_test_contexts(world, fitted);
  const int p = fitted.num_contexts();
  for (std::size_t i = 0; i < 20; ++i) {
    const double positive =
        fitted.mean(std::span(x).subspan(i * p, p), world.logged_factors(world.test, i));
    const std::size_t at = i * world.num_factors;
    EXPECT_NEAR(positive * given[1][at] + (1 - positive) * given[0][at], by_gate[at], 1e-9);
    EXPECT_NE(given[1][at], given[0][at]);
  }
}

// The pooled model has a weight error of 2.4 here.
TEST(OracleGate, ShrinksItsExpertsWhereTheLogIsSmall) {
  const Simulation world = simulate_overlap({.n = 150, .seed = 72});
  EXPECT_LT(score_test_weights(world, oracle_gate_weights(world)).weight_mse, 2);
}

TEST(OracleGate, FindsTheExpertsInALargeLog) {
  const Simulation world = simulate_overlap({.n = 20'000, .seed = 73});
  EXPECT_LT(score_test_weights(world, oracle_gate_weights(world)).weight_mse, 0.05);
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
