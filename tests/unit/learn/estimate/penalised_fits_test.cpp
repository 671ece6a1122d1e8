#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "learn/options/defaults.hpp"
#include "otss/learn/fit.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kBlended = "(half of the weight) and penalised fits (half)";

// The gain of this log is positive, and smaller than kGainForPenalisedFits standard errors.
const LoggedData& log_of_unclear_gain() {
  static const LoggedData log = FamilyLog(OutputFamily::kBernoulli, 600, 3).log();
  return log;
}

void expect_an_unclear_gain(const Fitted& fitted) {
  const MeanAndError& gain = fitted.report().gain.value();
  EXPECT_GT(gain.mean, 0);
  EXPECT_LT(gain.mean, defaults::kGainForPenalisedFits * gain.standard_error);
}

TEST(PenalisedFits, HaveHalfOfTheWeightAlsoWhereTheGainIsNotClear) {
  for (const AutoCount experts : {AutoCount{}, AutoCount{2}}) {
    const Fitted fitted =
        fit(log_of_unclear_gain(), {.method = Method::kOtss, .experts = experts, .threads = 2});
    expect_an_unclear_gain(fitted);
    EXPECT_THAT(fitted.report().choice->why, HasSubstr(kBlended));
  }
}

TEST(PenalisedFits, AreNotAddedWhereWeightsAreLinearInTheContext) {
  const Fitted fitted = fit(log_of_unclear_gain(), {.threads = 2});
  expect_an_unclear_gain(fitted);
  EXPECT_THAT(fitted.report().choice->why, HasSubstr("linear in the context"));
  EXPECT_THAT(fitted.report().choice->why, Not(HasSubstr(kBlended)));
}

TEST(PickedSetting, HasTheNumberOfExpertsThatWasAskedFor) {
  // One trade-off for everybody: any mixture is worse than the pooled model.
  const Simulation world = simulate_pooled({.n = 500, .seed = 5});
  const Fitted fitted = fit(training_log(world), {.method = Method::kOtss,
                                                  .experts = 2,
                                                  .validation = 0.2,
                                                  .treatment = Treatment::kPick,
                                                  .threads = 2});
  EXPECT_EQ(fitted.num_experts(), 2);
  const auto& settings = std::get<AveragedSettings>(fitted.report().choice->settings);
  EXPECT_EQ(settings.tried.front().weight, 0);
  EXPECT_GT(settings.tried.front().log_loss, 0.1);  // the pooled model has a loss, too
}

TEST(PickedSetting, MayBeThePooledModelIfNoNumberWasAskedFor) {
  // So few rows that K = 2 is the only mixture that is tried.
  const Simulation world = simulate_pooled({.n = 60, .seed = 5});
  const Fitted fitted = fit(
      training_log(world),
      {.method = Method::kOtss, .validation = 0.2, .treatment = Treatment::kPick, .threads = 2});
  EXPECT_EQ(fitted.num_experts(), 1);
}

}  // namespace
}  // namespace otss::test
