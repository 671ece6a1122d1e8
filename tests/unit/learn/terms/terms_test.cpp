// Which terms are found, and how often a log that is linear in the factors gives a false alarm.
#include "otss/learn/terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/random.hpp"
#include "learn/terms/ridge.hpp"
#include "learn/terms/term_screen.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/learn/fit.hpp"

namespace otss {
namespace {

using namespace internal;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Two contexts and three factors, of which the last is positive. Factors depend on the contexts, as
// in a log that a policy made. Rows come in groups with an effect of their own.
struct World {
  OutputFamily family = OutputFamily::kBernoulli;
  std::size_t rows = 2000;
  std::size_t group_size = 1;
  double group_effect = 0;
  // The part of eta that is not linear in the factors.
  std::function<double(const std::vector<double>& z)> curve = [](const auto&) { return 0.0; };
};

double draw(OutputFamily family, double eta, Rng& rng) {
  if (family == OutputFamily::kGaussian) return eta + rng.normal();
  if (family == OutputFamily::kBernoulli) return rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0;
  double count = -1;
  for (double left = std::exp(eta); left > 0; ++count) left += std::log(rng.uniform());
  return count;
}

LoggedData simulate(const World& world, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<double>> x(2), z(3);
  std::vector<double> y, group;
  double effect = 0;
  for (std::size_t i = 0; i < world.rows; ++i) {
    if (i % world.group_size == 0) effect = world.group_effect * rng.normal();
    for (auto& column : x) column.push_back(rng.normal());
    z[0].push_back(0.6 * x[0].back() + rng.normal());
    z[1].push_back(rng.normal());
    z[2].push_back(std::exp(0.7 * rng.normal()));
    const std::vector<double> row{z[0].back(), z[1].back(), z[2].back()};
    const double eta = effect - 0.3 + 0.4 * x[1].back() + (0.5 + 0.6 * x[0].back()) * row[0] -
                       0.4 * row[1] + 0.3 * row[2] + world.curve(row);
    y.push_back(draw(world.family, eta, rng));
    group.push_back(static_cast<double>(i / world.group_size));
  }
  LogExtras extras{.outcome = world.family.outcome_kind()};
  if (world.group_size > 1) extras.group.numbers = group;
  return make_log({{"x1", x[0]}, {"x2", x[1]}}, {{"a", z[0]}, {"b", z[1]}, {"c", z[2]}}, y, extras);
}

int false_alarms(const World& world, int runs) {
  int alarms = 0;
  for (int seed = 1; seed <= runs; ++seed)
    alarms += find_missing_term(simulate(world, seed), {.family = world.family}) ? 1 : 0;
  return alarms;
}

// With 60 runs and a probability of at most 5 %, 8 alarms or more have a probability below 2 %.
TEST(FindMissingTerm, IsSilentOnLinearLogs) {
  EXPECT_LE(false_alarms({}, 60), 7);
  EXPECT_LE(false_alarms({.family = OutputFamily::kGaussian, .rows = 500}, 60), 7);
  EXPECT_LE(false_alarms({.family = OutputFamily::kPoisson, .rows = 800}, 60), 7);
}

TEST(FindMissingTerm, IsSilentOnLinearLogsOfGroups) {
  EXPECT_LE(false_alarms({.group_size = 20, .group_effect = 1}, 60), 7);
}

TEST(FindMissingTerm, NamesTheTermOfTheTruth) {
  World world;
  world.curve = [](const auto& z) { return 0.6 * z[0] * z[1]; };
  EXPECT_EQ(find_missing_term(simulate(world, 5)).value().name, "a*b");
  world.curve = [](const auto& z) { return -0.5 * z[1] * z[1]; };
  EXPECT_EQ(find_missing_term(simulate(world, 5)).value().name, "b^2");
  world.family = OutputFamily::kPoisson;
  world.curve = [](const auto& z) { return 1.5 * std::log(z[2]) - 0.3 * z[2]; };
  EXPECT_EQ(find_missing_term(simulate(world, 5), {.family = world.family}).value().name, "log(c)");
}

TEST(FindMissingTerm, SaysByHowMuchTheTermLowersTheLoss) {
  World world{.rows = 8000};
  world.curve = [](const auto& z) { return 0.6 * z[0] * z[1]; };
  const LoggedData without = simulate(world, 6);
  const double gain = find_missing_term(without).value().gain;
  EXPECT_GT(gain, 0.01);
  EXPECT_LT(gain, 0.08);
}

TEST(ChooseTerms, ChoosesTheTermsOfTheTruth) {
  World world{.rows = 4000};
  world.curve = [](const auto& z) { return 0.7 * z[0] * z[1] - 0.4 * z[1] * z[1]; };
  const ChosenTerms chosen = choose_terms(simulate(world, 7), Terms::kAuto);
  EXPECT_THAT(chosen.names, AllOf(Contains("a*b"), Contains("b^2")));
  EXPECT_GT(chosen.gain.mean, 2 * chosen.gain.standard_error);
}

TEST(ChooseTerms, ChoosesNoneOnLinearLogs) {
  int chosen = 0;
  for (int seed = 1; seed <= 20; ++seed)
    chosen +=
        choose_terms(simulate({.rows = 1000}, 100 + seed), Terms::kAuto).names.empty() ? 0 : 1;
  EXPECT_LE(chosen, 3);
}

TEST(ChooseTerms, AddsEveryTermOfAKind) {
  const LoggedData log = simulate({}, 8);
  EXPECT_THAT(choose_terms(log, Terms::kSquares).names, ElementsAre("a^2", "b^2", "c^2"));
  EXPECT_THAT(choose_terms(log, Terms::kPairs).names, ElementsAre("a*b", "a*c", "b*c"));
  EXPECT_THAT(choose_terms(log, Terms::kLogs).names, ElementsAre("log(c)"));
  EXPECT_THAT(choose_terms(log, Terms::kNone).names, IsEmpty());
}

TEST(ChooseTerms, LeavesOutWhatTheFactorsDetermine) {
  Rng rng(9);
  std::vector<double> x, flag, other, count, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(rng.normal());
    flag.push_back(i % 2);
    other.push_back(1 - i % 2 + (i % 3 == 0 ? 1 : 0));
    count.push_back(i % 5);
    y.push_back(rng.uniform() < 0.5 ? 1 : 0);
  }
  const LoggedData log =
      make_log({{"x", x}}, {{"flag", flag}, {"other", other}, {"count", count}}, y);
  // The square of a flag is the flag itself, and so is its logarithm up to scale.
  EXPECT_THAT(choose_terms(log, Terms::kSquares).names, ElementsAre("other^2", "count^2"));
  EXPECT_THAT(choose_terms(log, Terms::kLogs).names, ElementsAre("log(1+other)", "log(1+count)"));
}

TEST(ChooseTerms, IsTheSameForAnyNumberOfThreads) {
  World world{.rows = 1500};
  world.curve = [](const auto& z) { return 0.7 * z[0] * z[1]; };
  const LoggedData log = simulate(world, 10);
  const ChosenTerms one = choose_terms(log, Terms::kAuto, {.threads = 1});
  const ChosenTerms two = choose_terms(log, Terms::kAuto, {.threads = 2});
  EXPECT_EQ(one.names, two.names);
  EXPECT_EQ(one.shrinkage, two.shrinkage);
  EXPECT_EQ(one.gain.mean, two.gain.mean);
}

TEST(TermRidge, StopsWhereTheGradientIsZero) {
  World world{.family = OutputFamily::kPoisson, .rows = 600};
  const LoggedData log = simulate(world, 11);
  const TermDesign design =
      make_term_design(log, Terms::kAuto, log.num_rows(), {.family = world.family});
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(design.linear.rows());
  const Ridge fit = fit_ridge(design.sample, nothing, design.linear, design.linear_blocks);
  const auto residuals = row_derivatives(design.sample, design.linear * fit.coefficients).residuals;
  Eigen::VectorXd gradient = design.linear.transpose() * residuals;
  for (Eigen::Index c = 1; c < gradient.size(); ++c)
    gradient[c] -=
        fit.strengths[static_cast<std::size_t>(design.linear_blocks[c])] * fit.coefficients[c];
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 0.5);  // of 600 counts
}

}  // namespace
}  // namespace otss
