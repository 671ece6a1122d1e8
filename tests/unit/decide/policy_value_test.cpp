#include "otss/decide/policy_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/random.hpp"
#include "base/student.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

// Four rows, of which the policy agrees with the first and the third.
PolicyLog four_rows() {
  return {.outcomes = {1, 0, 3, 2},
          .propensities = {0.5, 0.5, 0.25, 0.8},
          .agrees = {1, 0, 1, 0},
          .predicted_logged = {0.5, 0.25, 2, 1},
          .predicted_chosen = {0.5, 1, 2, 3}};
}

TEST(PolicyValue, IsWhatOneComputesByHand) {
  const PolicyValue value = policy_value(four_rows());
  EXPECT_DOUBLE_EQ(value.ips.value, (2.0 * 1 + 4 * 3) / 4);
  EXPECT_DOUBLE_EQ(value.snips.value, (2.0 * 1 + 4 * 3) / 6);
  EXPECT_DOUBLE_EQ(value.direct.value, 6.5 / 4);
  EXPECT_DOUBLE_EQ(value.doubly_robust.value, (6.5 + 2 * 0.5 + 4 * 1) / 4);
  EXPECT_DOUBLE_EQ(value.logging.value, 6.0 / 4);
  EXPECT_DOUBLE_EQ(value.gain.value, (11.5 - 6) / 4);
  EXPECT_DOUBLE_EQ(value.effective_sample_size, 36.0 / 20);
  EXPECT_DOUBLE_EQ(value.agreement, 0.5);
  EXPECT_DOUBLE_EQ(value.mean_importance, 1.5);
  EXPECT_DOUBLE_EQ(value.max_importance, 4);
  EXPECT_DOUBLE_EQ(value.min_propensity, 0.25);
  EXPECT_TRUE(std::isnan(value.never_logged));
}

TEST(PolicyValue, HasTheIntervalOfAMeanWithMatchedDegreesOfFreedom) {
  const PolicyValue value = policy_value(four_rows(), 0.8);
  // Outcomes 1, 0, 3, 2 about 1.5: squares sum to 5, fourth powers to 10.25.
  const double error = std::sqrt(5.0 / 3 / 4);
  const double kurtosis = 4 * 10.25 / 25;
  const double degrees = std::min(3.0, 2 * 4 / (kurtosis - 1));
  const double width = student_quantile(0.9, degrees) * error;
  EXPECT_NEAR(value.logging.lo, 1.5 - width, 1e-12);
  EXPECT_NEAR(value.logging.hi, 1.5 + width, 1e-12);
}

TEST(PolicyValue, CountsARowOfWeightThreeThreeTimes) {
  PolicyLog weighted = four_rows();
  weighted.weights = {1, 3, 2, 1};
  PolicyLog repeated;
  for (const std::size_t i : {0, 1, 1, 1, 2, 2, 3}) {
    const PolicyLog one = four_rows();
    repeated.outcomes.push_back(one.outcomes[i]);
    repeated.propensities.push_back(one.propensities[i]);
    repeated.agrees.push_back(one.agrees[i]);
    repeated.predicted_logged.push_back(one.predicted_logged[i]);
    repeated.predicted_chosen.push_back(one.predicted_chosen[i]);
    repeated.groups.push_back(static_cast<std::uint32_t>(i));
  }
  const PolicyValue a = policy_value(weighted);
  const PolicyValue b = policy_value(repeated);
  for (const auto estimate : {&PolicyValue::ips, &PolicyValue::snips, &PolicyValue::direct,
                              &PolicyValue::doubly_robust, &PolicyValue::gain}) {
    EXPECT_NEAR((a.*estimate).value, (b.*estimate).value, 1e-12);
    EXPECT_NEAR((a.*estimate).lo, (b.*estimate).lo, 1e-9);  // copies in one group are one row
    EXPECT_NEAR((a.*estimate).hi, (b.*estimate).hi, 1e-9);
  }
}

TEST(PolicyValue, IsUndefinedWhereThePolicyNeverAgrees) {
  PolicyLog log = four_rows();
  log.agrees = {0, 0, 0, 0};
  const PolicyValue value = policy_value(log);
  for (const auto estimate :
       {&PolicyValue::ips, &PolicyValue::snips, &PolicyValue::doubly_robust, &PolicyValue::gain}) {
    EXPECT_TRUE(std::isnan((value.*estimate).value));
  }
  EXPECT_DOUBLE_EQ(value.direct.value, 6.5 / 4);
  EXPECT_THAT(overlap_warnings(value), testing::ElementsAre(HasSubstr("agrees with no logged")));
}

TEST(PolicyValue, DoesNotPretendToKnowAMeanOfEqualOutcomes) {
  PolicyLog log = four_rows();
  log.outcomes[0] = log.outcomes[2];
  const PolicyValue value = policy_value(log);
  EXPECT_DOUBLE_EQ(value.snips.value, 3);
  EXPECT_TRUE(std::isnan(value.snips.lo));
  EXPECT_GT(value.ips.hi, value.ips.lo);
}

TEST(PolicyValue, HasNoIntervalWhereAllRowsAreOneGroup) {
  PolicyLog log = four_rows();
  log.groups = {0, 0, 0, 0};
  const PolicyValue value = policy_value(log);
  EXPECT_DOUBLE_EQ(value.doubly_robust.value, 11.5 / 4);
  EXPECT_TRUE(std::isnan(value.doubly_robust.lo));
}

TEST(PolicyValue, RefusesLogsAndLevelsThatMeanNothing) {
  EXPECT_THROW(policy_value({}), Error);
  EXPECT_THROW(policy_value(four_rows(), 1.0), Error);
  PolicyLog log = four_rows();
  log.weights = {0, 0, 0, 0};
  EXPECT_THROW(policy_value(log), Error);
}

// Two kinds of context, three decisions, all probabilities known.
struct SmallWorld {
  static constexpr std::array<std::array<double, 3>, 2> kLogging{
      {{0.6, 0.3, 0.1}, {0.2, 0.2, 0.6}}};
  static constexpr std::array<std::array<double, 3>, 2> kOutcome{
      {{0.2, 0.5, 0.9}, {0.7, 0.4, 0.3}}};
  static constexpr std::array<std::size_t, 2> kPolicy{2, 0};
  static constexpr double kValue = (0.9 + 0.7) / 2;
};

enum class Wrong { kNothing, kPredictions, kPropensities };

PolicyLog draw(std::size_t rows, Wrong wrong, Rng& rng) {
  PolicyLog log;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t x = rng.below(2);
    const double u = rng.uniform();
    const auto& p = SmallWorld::kLogging[x];
    const std::size_t d = u < p[0] ? 0 : u < p[0] + p[1] ? 1 : 2;
    log.outcomes.push_back(rng.uniform() < SmallWorld::kOutcome[x][d] ? 1 : 0);
    log.propensities.push_back(wrong == Wrong::kPropensities ? 0.5 : p[d]);
    log.agrees.push_back(d == SmallWorld::kPolicy[x] ? 1 : 0);
    const bool misled = wrong == Wrong::kPredictions;
    log.predicted_logged.push_back(misled ? 0.5 : SmallWorld::kOutcome[x][d]);
    log.predicted_chosen.push_back(misled ? 0.1 : SmallWorld::kOutcome[x][SmallWorld::kPolicy[x]]);
  }
  return log;
}

// Within four standard errors, a 90 % half-width being 1.645 of them.
void expect_true(const ValueEstimate& estimate) {
  EXPECT_NEAR(estimate.value, SmallWorld::kValue, (estimate.hi - estimate.lo) / 2 * 4 / 1.645);
}
void expect_far_off(const ValueEstimate& estimate) {
  EXPECT_GT(std::abs(estimate.value - SmallWorld::kValue), 5 * (estimate.hi - estimate.lo));
}

TEST(PolicyValue, FindsTheTruthWhenEverythingIsRight) {
  Rng rng(7001);
  const PolicyValue value = policy_value(draw(100'000, Wrong::kNothing, rng));
  for (const auto& estimate : {value.ips, value.snips, value.direct, value.doubly_robust})
    expect_true(estimate);
  EXPECT_THAT(overlap_warnings(value), testing::IsEmpty());
}

TEST(PolicyValue, DoublyRobustForgivesWrongPredictions) {
  Rng rng(7002);
  PolicyLog log = draw(100'000, Wrong::kPredictions, rng);
  // A wrong model is the same for the same decision: what it says of the logged one must agree.
  for (std::size_t i = 0; i < log.agrees.size(); ++i)
    if (log.agrees[i] != 0) log.predicted_logged[i] = log.predicted_chosen[i];
  const PolicyValue value = policy_value(log);
  expect_true(value.doubly_robust);
  expect_far_off(value.direct);
}

TEST(PolicyValue, DoublyRobustForgivesWrongPropensities) {
  Rng rng(7003);
  const PolicyValue value = policy_value(draw(100'000, Wrong::kPropensities, rng));
  expect_true(value.doubly_robust);
  expect_far_off(value.ips);
  EXPECT_THAT(overlap_warnings(value), testing::Contains(HasSubstr("propensities")));
}

TEST(PolicyValue, IpsIsRightOnAverage) {
  Rng rng(7004);
  constexpr int kLogs = 500;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kLogs; ++i) {
    const double value = policy_value(draw(200, Wrong::kNothing, rng)).ips.value;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kLogs;
  const double error = std::sqrt((squares / kLogs - mean * mean) / kLogs);
  EXPECT_NEAR(mean, SmallWorld::kValue, 4 * error);
}

TEST(OverlapWarnings, SayHowMuchTheEstimatesRestOn) {
  EXPECT_THAT(overlap_warnings(policy_value(four_rows())),
              testing::ElementsAre(HasSubstr("a mean of 1.8 rows, although the log has 4 rows")));
}

TEST(OverlapWarnings, SayWhatWasNeverLogged) {
  PolicyLog log = four_rows();
  log.chosen_was_logged = {1, 0, 1, 1};
  const PolicyValue value = policy_value(log);
  EXPECT_DOUBLE_EQ(value.never_logged, 0.25);
  EXPECT_THAT(overlap_warnings(value), testing::Contains(HasSubstr("25.00 %")));
}

}  // namespace
}  // namespace otss
