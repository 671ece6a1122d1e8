// Fits of logs that count as large because FitOptions::large_log_rows is lowered.
#include "learn/estimate/large_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "otss/model/model_file.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kRows = 8000;
constexpr std::size_t kLimit = 4000;  // each sample has half as many rows

const FamilyLog& bernoulli() {
  static const FamilyLog log(OutputFamily::kBernoulli, kRows, 71);
  return log;
}

// The columns that a log may have besides contexts, factors and outcome.
struct Extras {
  std::vector<double> groups, times, weights;

  Extras() {
    Rng rng(5);
    for (std::size_t i = 0; i < kRows; ++i) {
      groups.push_back(static_cast<double>(i % 400));
      times.push_back(static_cast<double>(i));
      weights.push_back(rng.uniform() < 0.5 ? 1 : 2);
    }
  }
};

const ChoiceReport& choice_of(const Fitted& fitted) { return fitted.report().choice.value(); }

double mean_squared_difference(const Fitted& a, const Fitted& b) {
  double sum = 0;
  std::vector<double> x(FamilyLog::kContexts, 0.0), wa(FamilyLog::kFactors), wb(wa);
  for (double first = -2; first <= 2; first += 0.25) {
    x[0] = first;
    a.weights(x, wa);
    b.weights(x, wb);
    for (std::size_t j = 0; j < wa.size(); ++j) sum += (wa[j] - wb[j]) * (wa[j] - wb[j]);
  }
  return sum;
}

TEST(LargeLog, IsChosenOnASampleAndFittedToAllRows) {
  const LoggedData log = bernoulli().log();
  const Fitted through_sample = fit(log, {.experts = 2, .large_log_rows = kLimit});
  const ChoiceReport& choice = choice_of(through_sample);
  ASSERT_TRUE(choice.sample_rows.has_value());
  EXPECT_NEAR(static_cast<double>(*choice.sample_rows), kLimit / 2.0, 200);
  EXPECT_THAT(choice.why, HasSubstr("then fitted to all rows"));
  EXPECT_THAT(choice.split, HasSubstr("a second sample of"));

  // The model is much closer to that of all rows than the sample's own model is.
  const Fitted on_all = fit(log, {.estimator = Estimator::kMap, .experts = 2});
  const auto samples = large_log_samples(log, {.large_log_rows = kLimit}, 20);
  const Fitted on_sample =
      fit(rows_of(log, samples->first), {.estimator = Estimator::kMap, .experts = 2});
  EXPECT_LT(mean_squared_difference(through_sample, on_all),
            0.2 * mean_squared_difference(on_sample, on_all));
}

TEST(LargeLog, OfMoreThanAHundredThousandRowsIsChosenOnFiftyThousand) {
  const FamilyLog world(OutputFamily::kBernoulli, 110'000, 76);
  const Fitted fitted = fit(world.log());
  // The standard deviation of a binomial number with mean 50,000 of 110,000 is 165.
  EXPECT_NEAR(static_cast<double>(choice_of(fitted).sample_rows.value()), 50'000, 5 * 165);
  EXPECT_TRUE(judge_gain(fitted.report().gain.value()).supported);
  // 110,000 rows determine each weight to about 0.015.
  EXPECT_LT(world.weight_error(fitted), 3 * 0.03 * 0.03);
}

TEST(LargeLog, IsOneWithMoreRowsThanTheLimit) {
  const LoggedData log = bernoulli().log();
  FitOptions options{.estimator = Estimator::kMap, .experts = 2};
  const Fitted small = fit(log, options);
  EXPECT_FALSE(choice_of(small).sample_rows.has_value());
  options.large_log_rows = kRows;
  EXPECT_EQ(model_to_text(fit(log, options)), model_to_text(small));
}

TEST(LargeLog, GivesTheSameModelToTheBitForAnyNumberOfThreads) {
  const LoggedData log = bernoulli().log();
  const auto text = [&](int threads) {
    return model_to_text(fit(log, {.threads = threads, .large_log_rows = kLimit}));
  };
  EXPECT_EQ(text(1), text(3));
}

TEST(LargeLog, IsJudgedByRowsOutsideTheSampleOnly) {
  // Changing outcomes outside both samples changes the model, but not the held-out losses.
  FamilyLog world(OutputFamily::kBernoulli, kRows, 72);
  const FitOptions options{.experts = 2, .large_log_rows = kLimit};
  const Fitted before = fit(world.log(), options);
  const RowSamples samples = large_log_samples(world.log(), options, 20).value();
  std::vector<bool> sampled(kRows, false);
  for (const std::size_t row : samples.first) sampled[row] = true;
  for (const std::size_t row : samples.second) sampled[row] = true;
  for (std::size_t i = 0; i < kRows; ++i) {
    if (!sampled[i]) world.outcomes()[i] = 1 - world.outcomes()[i];
  }
  const Fitted after = fit(world.log(), options);
  EXPECT_EQ(before.report().gain->mean, after.report().gain->mean);
  EXPECT_EQ(before.report().held_out->model, after.report().held_out->model);
  EXPECT_GT(mean_squared_difference(before, after), 0.01);
  EXPECT_TRUE(judge_gain(*before.report().gain).supported);
}

TEST(LargeLog, AcceptsTheOptionsOfASmallOne) {
  const Extras columns;
  LogExtras grouped, timed, weighted, both, with_terms;
  grouped.group.numbers = columns.groups;
  timed.time.numbers = columns.times;
  weighted.weight.numbers = columns.weights;
  both.group.numbers = columns.groups;
  both.time.numbers = columns.times;
  with_terms.terms = {"z1^2"};
  const auto earlier = std::make_shared<const Fitted>(
      fit(bernoulli().log(), {.estimator = Estimator::kMap, .experts = 3}));
  struct Case {
    LogExtras extras;
    FitOptions options;
  };
  const std::map<std::string, Case> cases{
      {"default", {{}, {}}},
      {"otss", {{}, {.method = Method::kOtss}}},
      {"pooled", {{}, {.method = Method::kPooled}}},
      {"one expert", {{}, {.experts = 1}}},
      {"weights", {weighted, {}}},
      {"groups", {grouped, {}}},
      {"times", {timed, {}}},
      {"times and groups", {both, {}}},
      {"terms", {with_terms, {}}},
      {"validation", {{}, {.validation = 0.3}}},
      {"folds", {{}, {.folds = 3}}},
      {"restarts", {{}, {.restarts = 2}}},
      {"sign", {{}, {.sign = "z3=+"}}},
      {"bounds", {{}, {.bounds = "z1=:0.2"}}},
      {"init", {{}, {.init = earlier}}},
      {"quadratic gate", {{}, {.gate = GateChoice::kQuadratic}}}};
  for (const auto& [name, one] : cases) {
    SCOPED_TRACE(name);
    FitOptions options = one.options;
    options.large_log_rows = kLimit;
    const Fitted fitted = fit(bernoulli().log(one.extras), options);
    const FitReport& report = fitted.report();
    EXPECT_TRUE(report.choice->sample_rows.has_value());
    EXPECT_TRUE(std::isfinite(report.held_out->model));
    EXPECT_EQ(report.data->rows, kRows);
    EXPECT_EQ(fitted.has_uncertainty(), !report.uncertainty_warning.starts_with("no intervals"));
    const std::string text = model_to_text(fitted);
    EXPECT_EQ(model_to_text(model_from_text(text, "model")), text);
  }
}

TEST(LargeLog, ObeysBounds) {
  const Fitted fitted = fit(bernoulli().log(), {.bounds = "z1=:0.2", .large_log_rows = kLimit});
  for (int k = 0; k < fitted.mixture()->num_experts(); ++k)
    EXPECT_LE(fitted.mixture()->expert(k)[0], 0.2);
}

TEST(LargeLog, KeepsTheOrderOfAnEarlierModelsExperts) {
  const LoggedData log = bernoulli().log();
  const auto earlier =
      std::make_shared<const Fitted>(fit(log, {.estimator = Estimator::kMap, .experts = 2}));
  const Fitted next = fit(log, {.init = earlier, .large_log_rows = kLimit});
  ASSERT_EQ(next.mixture()->num_experts(), 2);
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(next.mixture()->expert(k)[0], earlier->mixture()->expert(k)[0], 0.3);
}

TEST(LargeLog, MayHaveOutcomesOfAnyFamily) {
  for (const OutputFamily family : {OutputFamily::kGaussian, OutputFamily::kPoisson}) {
    SCOPED_TRACE(family.name());
    const FamilyLog world(family, kRows, 73);
    const Fitted fitted = fit(world.log(), {.family = family, .large_log_rows = kLimit});
    EXPECT_TRUE(choice_of(fitted).sample_rows.has_value());
    EXPECT_TRUE(judge_gain(fitted.report().gain.value()).supported);
    // 8000 rows determine each weight to about 0.05.
    EXPECT_LT(world.weight_error(fitted), 3 * 0.1 * 0.1);
  }
}

TEST(LargeLog, AveragesLinearWeightsIntoTheStart) {
  // The weight of z1 is linear in the first context, so the smooth model joins the average.
  std::vector<std::vector<double>> columns(5);
  std::vector<double> outcomes;
  Rng rng(74);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (auto& column : columns) column.push_back(rng.normal());
    const double eta = (columns[0].back() - 0.5 * columns[1].back()) * columns[3].back();
    outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0);
  }
  const LoggedData log = make_log(
      {{.name = "x1", .numbers = columns[0]},
       {.name = "x2", .numbers = columns[1]},
       {.name = "x3", .numbers = columns[2]}},
      {{.name = "z1", .numbers = columns[3]}, {.name = "z2", .numbers = columns[4]}}, outcomes);
  const Fitted fitted = fit(log, {.large_log_rows = kLimit});
  const auto& settings = std::get<AveragedSettings>(choice_of(fitted).settings);
  EXPECT_TRUE(settings.tried.back().linear_weights);
  EXPECT_GT(settings.tried.back().weight, 0.01);
  std::vector<double> low(2), high(2);
  fitted.weights(std::vector<double>{-1, 0, 0}, low);
  fitted.weights(std::vector<double>{1, 0, 0}, high);
  EXPECT_NEAR(high[0] - low[0], 2, 0.3);
}

TEST(LargeLog, ComparesGatesOnTheSample) {
  const Fitted fitted =
      fit(FamilyLog(OutputFamily::kGaussian, kRows, 75).log(),
          {.gate = GateChoice::kAuto, .family = OutputFamily::kGaussian, .large_log_rows = kLimit});
  EXPECT_EQ(choice_of(fitted).gates.size(), 2U);  // no network for numbers
  EXPECT_TRUE(choice_of(fitted).sample_rows.has_value());
}

TEST(LargeLog, WithoutHeterogeneityGetsThePooledModelOfAllRows) {
  std::vector<std::vector<double>> columns(4);
  std::vector<double> outcomes;
  Rng rng(77);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (auto& column : columns) column.push_back(rng.normal());
    const double eta = columns[2].back() - 0.5 * columns[3].back();
    outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0);
  }
  const LoggedData log = make_log(
      {{.name = "x1", .numbers = columns[0]}, {.name = "x2", .numbers = columns[1]}},
      {{.name = "z1", .numbers = columns[2]}, {.name = "z2", .numbers = columns[3]}}, outcomes);
  const Fitted fitted = fit(log, {.large_log_rows = kLimit});
  EXPECT_FALSE(judge_gain(fitted.report().gain.value()).supported);
  std::vector<double> w(2);
  fitted.weights(std::vector<double>{0, 0}, w);
  EXPECT_NEAR(w[0], 1, 0.12);
  EXPECT_NEAR(w[1], -0.5, 0.12);
}

TEST(LargeLog, WithFewGroupsIsChosenOnAllRows) {
  std::vector<double> groups;
  for (std::size_t i = 0; i < kRows; ++i) groups.push_back(static_cast<double>(i % 40));
  LogExtras extras;
  extras.group.numbers = groups;
  const Fitted fitted = fit(bernoulli().log(extras), {.experts = 2, .large_log_rows = kLimit});
  EXPECT_EQ(fitted.estimator(), Estimator::kMap);
  EXPECT_FALSE(choice_of(fitted).sample_rows.has_value());
}

}  // namespace
}  // namespace otss::test
