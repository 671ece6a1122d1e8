// The bridge against every point there is, against HiGHS, and against solvers that lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "base/json.hpp"
#include "otss/base/error.hpp"
#include "unit/decide/milp_plans.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

using test::kInf;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

void expect_best(const MilpPlan& plan, const std::vector<double>& c) {
  const MilpAnswer answer = test::bridge_of(plan).solve(0, c);
  const double best = test::best_by_enumeration(plan, c);
  if (std::isinf(best)) {
    EXPECT_STREQ(name_of(answer.status), "infeasible");
    return;
  }
  ASSERT_STREQ(name_of(answer.status), "optimal");
  double size = 0;
  for (const double value : c) size += std::abs(value);
  EXPECT_NEAR(answer.objective, best, 1e-9 * size);
  EXPECT_NEAR(answer.bound, best, 1e-6 * size);
  for (const double value : answer.values) EXPECT_TRUE(value == 0 || value == 1);
}

TEST(MilpBridge, FindsTheBestOfAllPointsOfKnapsacks) {
  Rng rng(11);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t n = 4 + rng.below(8);
    expect_best(test::random_knapsack(n, 1 + rng.below(3), rng), normal_draws(n, rng));
  }
}

TEST(MilpBridge, FindsTheBestOfAllPointsOfAssignments) {
  Rng rng(12);
  for (int trial = 0; trial < 15; ++trial) {
    std::vector<std::vector<double>> rows(6, std::vector<double>(9, 0));
    for (int cell = 0; cell < 9; ++cell) rows[cell / 3][cell] = rows[3 + cell % 3][cell] = 1;
    const std::vector<double> ones(6, 1);
    expect_best(test::plan_of(rows, ones, ones, std::vector<double>(9, 1)), normal_draws(9, rng));
  }
}

TEST(MilpBridge, FindsTheBestOfAllPointsUnderACardinality) {
  Rng rng(13);
  for (int trial = 0; trial < 15; ++trial) {
    const std::vector<std::vector<double>> rows{std::vector<double>(10, 1), normal_draws(10, rng)};
    expect_best(test::plan_of(rows, {2, -0.5}, {4, kInf}, std::vector<double>(10, 1)),
                normal_draws(10, rng));
  }
}

TEST(MilpBridge, FindsTheBestOfAllPointsOfRandomRowsInWhateverUnit) {
  Rng rng(14);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t n = 3 + rng.below(7);
    const std::vector<std::vector<double>> rows{normal_draws(n, rng), normal_draws(n, rng)};
    std::vector<double> c = normal_draws(n, rng);
    const double unit = std::pow(10, static_cast<double>(rng.below(13)) - 6);
    for (double& value : c) value *= unit;
    expect_best(test::plan_of(rows, {-kInf, 0.3}, {0.5, kInf}, std::vector<double>(n, 1)), c);
  }
}

MilpPlan golden_plan(const Json& instance) {
  const auto numbers = [&](const char* name) {
    auto values = instance.at(name).get<std::vector<double>>();
    for (double& value : values) {
      if (std::abs(value) >= 1e30) value = std::copysign(kInf, value);
    }
    return values;
  };
  MilpPlan plan = test::plan_of(instance.at("rows").get<std::vector<std::vector<double>>>(),
                                numbers("row_lower"), numbers("row_upper"), numbers("upper"));
  const auto integer = instance.at("integer").get<std::vector<int>>();
  plan.integer.assign(integer.begin(), integer.end());
  return plan;
}

FactorMap golden_map(const Json& instance, const MilpPlan& plan) {
  FactorMap map{
      "map.csv", plan.variables, std::vector<std::size_t>(plan.num_variables()), {}, {0, 0}};
  for (std::size_t j = 0; j < plan.num_variables(); ++j) {
    for (int f = 0; f < 2; ++f)
      map.entries.push_back({j, f, instance.at("map")[j][f].get<double>()});
  }
  return map;
}

TEST(MilpBridge, AgreesWithHighsOnTwoHundredPrograms) {
  std::ifstream file(OTSS_GOLDEN "/milp_highs.json");
  const Json golden = Json::parse(file);
  ASSERT_EQ(golden.at("instances").size(), 200u);
  int number = 0;
  for (const Json& instance : golden.at("instances")) {
    SCOPED_TRACE(number++);
    const MilpPlan plan = golden_plan(instance);
    const MilpBridge bridge(plan, golden_map(instance, plan));
    const MilpAnswer answer = bridge.solve(0, instance.at("weights").get<std::vector<double>>());
    ASSERT_EQ(name_of(answer.status), instance.at("status").get<std::string>());
    if (answer.status == MilpStatus::kOptimal) {
      const double theirs = instance.at("objective");
      EXPECT_NEAR(answer.objective, theirs, 1e-7 * std::max(1.0, std::abs(theirs)));
    }
  }
}

TEST(MilpBridge, TellsUnboundedFromInfeasible) {
  // x1 - x2 <= 4, both may grow; x3 >= `least`, which is at most 1.
  const auto status = [](double least) {
    const MilpPlan plan =
        test::plan_of({{1, -1, 0}, {0, 0, 1}}, {-kInf, least}, {4, kInf}, {kInf, kInf, 1});
    return name_of(test::bridge_of(plan).solve(0, std::vector<double>{1, 1, 0}).status);
  };
  EXPECT_STREQ(status(1), "unbounded");
  EXPECT_STREQ(status(2), "infeasible");
}

TEST(MilpBridge, TakesPlansWithoutIntegers) {
  MilpPlan plan = test::plan_of({{1, 2}}, {-kInf}, {5}, {3, kInf});
  plan.integer.assign(2, 0);
  const MilpAnswer answer = test::bridge_of(plan).solve(0, std::vector<double>{1, 1});
  EXPECT_NEAR(answer.objective, 4, 1e-9);
  EXPECT_NEAR(answer.values[1], 1, 1e-9);
  EXPECT_EQ(
      test::bridge_of(test::plan_of({{1.0}}, {5}, {kInf}, {3})).solve(0, std::vector{1.0}).status,
      MilpStatus::kInfeasible);
}

TEST(MilpBridge, GivesTheSameAnswersForAnyNumberOfThreads) {
  Rng rng(15);
  const MilpPlan plan = test::random_knapsack(30, 3, rng);
  const std::vector<double> w = normal_draws(12 * 30, rng);
  const auto one = test::bridge_of(plan, {.num_threads = 1}).solve(0, 12, w);
  for (const int threads : {2, 5}) {
    const auto many = test::bridge_of(plan, {.num_threads = threads}).solve(0, 12, w);
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(many[i].values, one[i].values);
      EXPECT_EQ(many[i].objective, one[i].objective);
      EXPECT_EQ(many[i].bound, one[i].bound);
    }
  }
}

TEST(MilpBridge, StopsWithinTheGapWithABoundThatHolds) {
  Rng rng(16);
  for (int trial = 0; trial < 10; ++trial) {
    const MilpPlan plan = test::random_knapsack(30, 3, rng);
    std::vector<double> c = normal_draws(30, rng);
    const MilpAnswer best = test::bridge_of(plan).solve(0, c);
    const MilpAnswer near = test::bridge_of(plan, {.gap = 0.1}).solve(0, c);
    EXPECT_EQ(near.status, MilpStatus::kOptimal);
    EXPECT_LE(near.gap, 0.1 + 1e-9);
    EXPECT_GE(near.bound, best.objective - 1e-6);
    EXPECT_GE(near.objective, 0.9 * near.bound - 1e-6);
  }
}

// Market split (Cornuéjols and Dawande): 34 binaries that no branch and bound decides in a second.
MilpPlan hard_plan() {
  Rng rng(17);
  std::vector<std::vector<double>> rows(4, std::vector<double>(42, 0));
  std::vector<double> side;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 34; ++j) sum += rows[i][j] = static_cast<double>(rng.below(100));
    rows[i][34 + 2 * i] = 1;
    rows[i][35 + 2 * i] = -1;
    side.push_back(std::floor(sum / 2));
  }
  std::vector<double> upper(42, 1);
  std::fill(upper.begin() + 34, upper.end(), kInf);
  MilpPlan plan = test::plan_of(rows, side, side, upper);
  std::fill(plan.integer.begin() + 34, plan.integer.end(), 0);
  return plan;
}

TEST(MilpBridge, NeverCallsAPointOptimalWhenTheTimeIsUp) {
  std::vector<double> c(42, 0);
  std::fill(c.begin() + 34, c.end(), -1);
  const MilpAnswer answer = test::bridge_of(hard_plan(), {.time_limit_seconds = 0.3}).solve(0, c);
  // On a busy machine the time may be up before the first point.
  if (answer.status == MilpStatus::kLimit) return;
  ASSERT_EQ(answer.status, MilpStatus::kFeasible);
  EXPECT_LE(answer.objective, answer.bound);
  EXPECT_GT(answer.gap, 0);
}

TEST(MilpBridge, SaysLimitWhenTheTimeIsUpBeforeAnyPoint) {
  MilpPlan plan = hard_plan();
  std::fill(plan.upper.begin() + 34, plan.upper.end(), 0);
  const MilpAnswer answer =
      test::bridge_of(plan, {.time_limit_seconds = 1e-6}).solve(0, std::vector<double>(42, 1));
  EXPECT_EQ(answer.status, MilpStatus::kLimit);
  EXPECT_TRUE(answer.values.empty());
  EXPECT_TRUE(std::isnan(answer.objective));
}

// However early the search is stopped, what the answer claims must be true.
TEST(MilpBridge, GivesOnlyTrueBoundsWhenTheTimeIsUp) {
  Rng rng(18);
  for (int trial = 0; trial < 8; ++trial) {
    const MilpPlan plan = test::random_knapsack(40 + 10 * (trial % 4), 5, rng);
    std::vector<double> c = normal_draws(plan.num_variables(), rng);
    for (double& value : c) value = std::abs(value);
    const double sum = std::accumulate(c.begin(), c.end(), 0.0);
    const double best = test::bridge_of(plan, {.gap = 1e-4}).solve(0, c).objective;
    for (const double seconds : {0.001, 0.002, 0.005, 0.01, 0.02, 0.05}) {
      const MilpAnswer answer = test::bridge_of(plan, {.time_limit_seconds = seconds}).solve(0, c);
      const bool has_point = !answer.values.empty();
      EXPECT_TRUE(has_point || answer.status == MilpStatus::kLimit);
      EXPECT_FALSE(has_point && std::isnan(answer.bound));
      if (!std::isnan(answer.bound)) {
        EXPECT_GE(answer.bound, best - 1e-6);
        EXPECT_LE(answer.bound, sum + 1e-6);
      }
    }
  }
}

TEST(MilpBridge, CountsFactorTotalsAndConstants) {
  const MilpPlan plan = test::plan_of({{1, 1}}, {-kInf}, {1}, {1, 1});
  const FactorMap map{
      "map.csv", {"x2", "x1"}, {0, 1}, {{0, 0, 3}, {0, 1, -1}, {1, 0, 2}}, {10, 0.5}};
  const MilpAnswer answer = MilpBridge(plan, map).solve(0, std::vector<double>{1, 2});
  // x1 gains 2, x2 gains 3·1 - 1·2 = 1.
  EXPECT_THAT(answer.values, ElementsAre(1, 0));
  EXPECT_THAT(answer.factor_totals, ElementsAre(12, 0.5));
  EXPECT_EQ(answer.objective, 13);
}

TEST(MilpBridge, AddsThePlansOwnObjectiveOnRequest) {
  MilpPlan plan = test::plan_of({{1, 1}}, {-kInf}, {1}, {1, 1});
  plan.objective = {0, 5};
  plan.constant = 100;
  const std::vector<double> w{2, 1};
  EXPECT_EQ(test::bridge_of(plan).solve(0, w).objective, 2);
  const MilpAnswer both = test::bridge_of(plan, {.keep_objective = true}).solve(0, w);
  EXPECT_EQ(both.objective, 106);
  EXPECT_THAT(both.values, ElementsAre(0, 1));
}

TEST(MilpBridge, OverridesOneContextOnly) {
  const MilpPlan plan = test::plan_of({{1, 1}, {1, -1}}, {-kInf, 0}, {1, 0}, {9, 9});
  using Kind = MilpOverride::Kind;
  MilpOverrides overrides{"o.csv", {}};
  overrides.by_row[1] = {{Kind::kRhs, false, 0, 7}, {Kind::kRhs, false, 1, 1}};
  const MilpBridge bridge(plan, test::identity_map(plan), overrides);
  const auto answers = bridge.solve(0, 3, std::vector<double>(6, 1));
  EXPECT_EQ(answers[0].objective, 0);
  EXPECT_THAT(answers[1].values, ElementsAre(4, 3));
  EXPECT_EQ(answers[2].objective, 0);
  EXPECT_NO_THROW(bridge.check_rows(2, "c.csv"));
  EXPECT_THAT(
      [&] { bridge.check_rows(1, "c.csv"); },
      ThrowsMessage<Error>(AllOf(HasSubstr("o.csv"), HasSubstr("row 2"), HasSubstr("c.csv"))));
}

TEST(MilpBridge, CallsCrossedBoundsInfeasible) {
  const MilpPlan plan = test::plan_of({{1.0}}, {-kInf}, {1}, {1});
  MilpOverrides overrides{"o.csv", {}};
  overrides.by_row[0] = {{MilpOverride::Kind::kLower, true, 0, 3}};
  const MilpBridge bridge(plan, test::identity_map(plan), overrides);
  EXPECT_EQ(bridge.solve(0, std::vector{1.0}).status, MilpStatus::kInfeasible);
}

TEST(MilpBridge, NamesAVariableThePlanDoesNotHave) {
  const MilpPlan plan = test::plan_of({{1.0}}, {-kInf}, {1}, {1});
  const FactorMap map{"map.csv", {"x2"}, {4}, {{0, 0, 1}}, {0}};
  EXPECT_THAT([&] { MilpBridge(plan, map); },
              ThrowsMessage<Error>(AllOf(HasSubstr("map.csv: row 5, column variable"),
                                         HasSubstr("'x2'"), HasSubstr("did you mean 'x1'?"))));
}

// A solver of the user's own, which says what it is told to.
auto answer_of(std::vector<double> values, double objective, double bound) {
  const MilpPlan plan = test::plan_of({{1, 1}}, {-kInf}, {1}, {1, 1});
  return [=] {
    const MilpSolver solver = [=](const MilpProblem&, const MilpOptions&) {
      return MilpSolution{MilpStatus::kOptimal, values, objective, bound};
    };
    return test::bridge_of(plan, {}, solver).solve(0, std::vector<double>{2, 3});
  };
}

// A bridge that counts how often its solver is called.
struct CountingBridge {
  std::atomic<int> calls = 0;
  MilpBridge bridge;

  explicit CountingBridge(MilpOverrides overrides = {})
      : bridge(small_plan(), test::identity_map(small_plan()), std::move(overrides),
               {.num_threads = 2}, [this](const MilpProblem& problem, const MilpOptions& options) {
                 ++calls;
                 return solve_with_cbc(problem, options);
               }) {}

  static MilpPlan small_plan() { return test::plan_of({{1, 1}}, {-test::kInf}, {3}, {2, 2}); }
};

TEST(MilpBridge, SolvesEqualContextsOnce) {
  CountingBridge counting;
  const std::vector<double> w{1, 2, 3, 1, 1, 2, 1, 2, 3, 1};
  MilpMemory memory;
  const std::vector<MilpAnswer> answers = counting.bridge.solve(0, 5, w, memory);
  EXPECT_EQ(counting.calls, 2);
  EXPECT_EQ(memory.num_solved(), 2);
  ASSERT_EQ(answers.size(), 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const MilpAnswer alone = counting.bridge.solve(i, std::span(w).subspan(2 * i, 2));
    EXPECT_EQ(answers[i].values, alone.values);
    EXPECT_EQ(answers[i].objective, alone.objective);
    EXPECT_EQ(answers[i].factor_totals, alone.factor_totals);
  }
}

TEST(MilpBridge, RemembersTheAnswersOfEarlierContexts) {
  CountingBridge counting;
  MilpMemory memory;
  counting.bridge.solve(0, 1, std::vector<double>{1, 2}, memory);
  counting.bridge.solve(1, 2, std::vector<double>{1, 2, 5, 1}, memory);
  EXPECT_EQ(counting.calls, 2);
}

TEST(MilpBridge, SolvesEqualWeightsWithOtherOverridesAgain) {
  using Kind = MilpOverride::Kind;
  MilpOverrides overrides;
  overrides.by_row[1] = {{Kind::kUpper, true, 1, 1}};
  overrides.by_row[2] = {{Kind::kUpper, true, 1, 1}};
  overrides.by_row[3] = {{Kind::kUpper, true, 1, 0}};
  CountingBridge counting(overrides);
  MilpMemory memory;
  const auto answers =
      counting.bridge.solve(0, 4, std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2}, memory);
  EXPECT_EQ(counting.calls, 3);
  EXPECT_DOUBLE_EQ(answers[0].objective, 5);
  EXPECT_DOUBLE_EQ(answers[1].objective, 4);
  EXPECT_DOUBLE_EQ(answers[2].objective, 4);
  EXPECT_DOUBLE_EQ(answers[3].objective, 2);
}

TEST(MilpBridge, TakesAnotherSolversAnswer) {
  const MilpAnswer answer = answer_of({1e-9, 1 - 1e-9}, 3, 3)();
  EXPECT_THAT(answer.values, ElementsAre(0, 1));
  EXPECT_EQ(answer.objective, 3);
  EXPECT_EQ(answer.gap, 0);
}

TEST(MilpBridge, RefusesAnAnswerThatDoesNotHold) {
  EXPECT_THAT(answer_of({1, 1}, 5, 5), ThrowsMessage<Error>(AllOf(HasSubstr("context row 1"),
                                                                  HasSubstr("constraint 'c1'"))));
  EXPECT_THAT(answer_of({0, 2}, 6, 6), ThrowsMessage<Error>(HasSubstr("x2 = 2, outside")));
  EXPECT_THAT(answer_of({0.5, 0.5}, 2.5, 3), ThrowsMessage<Error>(HasSubstr("not an integer")));
  EXPECT_THAT(answer_of({0, 1}, 4, 4), ThrowsMessage<Error>(HasSubstr("claims the objective 4")));
  EXPECT_THAT(answer_of({0, 1}, 3, 2), ThrowsMessage<Error>(HasSubstr("claims the bound 2")));
  EXPECT_THAT(answer_of({0}, 0, 0), ThrowsMessage<Error>(HasSubstr("1 values for 2 variables")));
}

}  // namespace
}  // namespace otss
