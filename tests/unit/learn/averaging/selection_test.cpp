#include "learn/averaging/selection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// A run in which K = 1, 2 and 3 predict the held-out rows; a larger `skill` predicts better.
HeldOutRun run_with(const Problem& problem, double skill_of_two, double skill_of_three) {
  HeldOutRun run;
  run.folds = {2, std::vector<std::uint8_t>(problem.num_rows())};
  for (std::size_t i = 0; i < problem.num_rows(); ++i) run.folds.of_row[i] = i % 2;
  for (const auto& [experts, skill] :
       {std::pair{1, 0.0}, std::pair{2, skill_of_two}, std::pair{3, skill_of_three}}) {
    run.held_out.settings.push_back({experts, {}});
    std::vector<double> eta(problem.num_rows());
    for (std::size_t i = 0; i < eta.size(); ++i) eta[i] = problem.outcome(i) > 0.5 ? skill : -skill;
    run.held_out.eta.push_back(eta);
  }
  return run;
}

TEST(NextCount, GrowsWhileTheLargestCountPredictsBetter) {
  const Problem problem = test::problem_of(test::two_trade_offs(2000, 0.2, 1));
  EXPECT_EQ(next_count(problem, run_with(problem, 0.2, 0.4), {}), 5);
  EXPECT_EQ(next_count(problem, run_with(problem, 0.4, 0.4), {}), 0);
  EXPECT_EQ(next_count(problem, run_with(problem, 0.4, 0.2), {}), 0);
}

TEST(NextCount, NeedsRowsForItsParameters) {
  const Problem problem = test::problem_of(test::two_trade_offs(60, 0.2, 2));
  EXPECT_EQ(next_count(problem, run_with(problem, 0.2, 0.9), {}), 0);
}

TEST(LargerCount, IsTheSumOfTheTwoLargestIfTheLogHasRowsForIt) {
  const Problem many = test::problem_of(test::two_trade_offs(2000, 0.2, 1));
  EXPECT_EQ(larger_count(many, std::array{1, 2, 3, 5}), 8);
  EXPECT_EQ(larger_count(many, std::array{5}), 0);
  const Problem few = test::problem_of(test::two_trade_offs(60, 0.2, 2));
  EXPECT_EQ(larger_count(few, std::array{2, 3}), 0);
}

TEST(Weigh, AveragesRunsAndHoldsOutWholeGroups) {
  const Problem problem = test::problem_of(test::two_trade_offs(400, 0.2, 3));
  const std::vector<HeldOutRun> runs{run_with(problem, 0.2, 0.5), run_with(problem, 0.5, 0.2)};
  const Selection selection = weigh(problem, runs, {}, 1);
  ASSERT_EQ(selection.tried.size(), 3);
  EXPECT_NEAR(selection.tried[1].weight, selection.tried[2].weight, 1e-6);
  EXPECT_NEAR(selection.tried[1].loss, selection.tried[2].loss, 1e-12);
  EXPECT_NEAR(selection.gain.mean, selection.pooled_loss - selection.validation_loss, 1e-12);
  // If all rows are one of four groups, the gain is less certain than with independent rows.
  std::vector<std::uint32_t> groups(problem.num_rows());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = i * 4 / groups.size();
  const Selection grouped = weigh(problem, runs, groups, 1);
  EXPECT_EQ(grouped.gain.mean, selection.gain.mean);
  EXPECT_NE(grouped.gain.standard_error, selection.gain.standard_error);
}

TEST(Weigh, GivesNoWeightToASettingThatARunLeftOut) {
  const Problem problem = test::problem_of(test::two_trade_offs(400, 0.2, 4));
  std::vector<HeldOutRun> runs{run_with(problem, 0.2, 0.5), run_with(problem, 0.2, 0.5)};
  const Selection both = weigh(problem, runs, {}, 1);
  runs[1].fitted = {0, 2};
  runs[1].held_out.eta[1].clear();
  const Selection selection = weigh(problem, runs, {}, 1);
  EXPECT_EQ(selection.weights_by_division[1][1], 0);
  EXPECT_NEAR(selection.tried[1].weight, both.tried[1].weight / 2, 1e-12);
  EXPECT_NEAR(selection.tried[1].loss, both.tried[1].loss, 1e-12);
  EXPECT_NEAR(selection.tried[0].weight + selection.tried[1].weight + selection.tried[2].weight, 1,
              1e-9);
}

// The settings of `run_with` are overconfident if the outcome often is the other one.
TEST(Weigh, FindsTheShareAtWhichAnOverconfidentAverageIsBest) {
  Problem problem = test::problem_of(test::two_trade_offs(400, 0.2, 5));
  const auto share_of = [&](double skill) {
    HeldOutRun run = run_with(problem, skill, skill);
    // Of five rows, one has the other outcome than the predictors say.
    for (std::size_t i = 0; i < problem.num_rows(); i += 5) {
      for (std::vector<double>& eta : run.held_out.eta) eta[i] = -eta[i];
    }
    run.held_out.settings.erase(run.held_out.settings.begin() + 1);
    run.held_out.eta.erase(run.held_out.eta.begin() + 1);
    run.held_out.pull = {1e4, {1e-3, 1}};  // nearly all the weight is on the mixture
    return weigh(problem, std::span(&run, 1), {}, 1).average_share;
  };
  // Four of five rows are right: the best predictor is log(4).
  EXPECT_NEAR(share_of(3), std::log(4) / 3, 0.01);
  EXPECT_EQ(share_of(1), 1);
  EXPECT_EQ(share_of(-1), 0);
}

}  // namespace
}  // namespace otss
