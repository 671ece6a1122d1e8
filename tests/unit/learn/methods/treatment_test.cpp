#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "lab/worlds/simulation.hpp"
#include "lab/worlds/truth.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

const Simulation& world() {
  static const Simulation one = simulate_overlap({.n = 900, .seed = 61});
  return one;
}

const LoggedData& world_log() {
  static const LoggedData log = training_log(world());
  return log;
}

const ComparedSettings& settings_of(const Fitted& fitted) {
  return std::get<ComparedSettings>(fitted.report().choice.value().settings);
}

TEST(Treatment, AveragesTheSettingsOfEveryMethod) {
  using enum Method;
  for (const Method method : {kLinear, kLowRank, kMlp, kCluster, kEm, kHard, kGbm}) {
    FitOptions options{.method = method, .treatment = Treatment::kAverage, .threads = 2};
    if (method == kEm || method == kHard) options.experts = 2;
    const Fitted fitted = fit(world_log(), options);
    double total = settings_of(fitted).pooled_weight.value_or(0);
    double lowest = 1;
    for (const auto& tried : settings_of(fitted).tried) {
      ASSERT_TRUE(tried.weight.has_value()) << word(method);
      total += *tried.weight;
      lowest = std::min(lowest, tried.log_loss);
    }
    EXPECT_NEAR(total, 1, 1e-9) << word(method);
    EXPECT_EQ(settings_of(fitted).pooled_weight.has_value(), method != kGbm) << word(method);
    EXPECT_THAT(fitted.report().choice->why, HasSubstr("the average of"));
    EXPECT_THAT(fitted.report().choice->split, HasSubstr("5-fold"));
    // The honest loss of the average is hardly above that of the best setting, which was chosen
    // with knowledge of the held-out rows.
    EXPECT_LT(fitted.report().held_out->model, lowest + 0.01) << word(method);
    // A model file keeps the average.
    const Fitted again = model_from_text(model_to_text(fitted), "m.json");
    const std::vector<double> x(fitted.num_contexts(), 0.3);
    const std::vector<double> z(fitted.num_factors(), 0.2);
    EXPECT_EQ(again.predictor(x, z), fitted.predictor(x, z)) << word(method);
  }
}

TEST(Treatment, PicksOneSettingOfOtss) {
  const FitOptions options{.method = Method::kOtss,
                           .experts = 2,
                           .validation = 0.2,
                           .treatment = Treatment::kPick,
                           .threads = 2};
  const Fitted fitted = fit(world_log(), options);
  EXPECT_EQ(fitted.estimator(), Estimator::kMap);
  const auto& settings = std::get<AveragedSettings>(fitted.report().choice->settings);
  double lowest = 1;
  double loss_of_picked = 1;
  int picked = 0;
  for (const TriedMixture& tried : settings.tried) {
    lowest = std::min(lowest, tried.log_loss);
    if (tried.weight == 0) continue;
    EXPECT_EQ(tried.weight, 1);
    ++picked;
    loss_of_picked = tried.log_loss;
  }
  EXPECT_EQ(picked, 1);
  EXPECT_EQ(loss_of_picked, lowest);
  EXPECT_EQ(fitted.report().choice->why, "the setting with the lowest loss on held-out rows");
  // Without a second fit, the model is another one: that of the training rows.
  FitOptions training = options;
  training.no_refit = true;
  const std::vector<double> x(fitted.num_contexts(), 0.3);
  const std::vector<double> z(fitted.num_factors(), 0.2);
  EXPECT_NE(fit(world_log(), training).predictor(x, z), fitted.predictor(x, z));
}

TEST(Treatment, LetsAutoPickLinearWeights) {
  // Few rows and one direction: whatever is picked has weights and a sentence.
  const Fitted fitted = fit(world_log(), {.validation = 0.2, .treatment = Treatment::kPick});
  EXPECT_TRUE(fitted.has_weights());
  EXPECT_THAT(fitted.report().choice->why,
              HasSubstr("the setting with the lowest loss on held-out rows"));
}

TEST(Treatment, IsRefusedWhereItHasNoMeaning) {
  const auto refusal = [](const FitOptions& options) -> std::string {
    try {
      fit(world_log(), options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({.method = Method::kPooled, .treatment = Treatment::kPick}),
              HasSubstr("--treatment has no effect with --method pooled"));
  EXPECT_THAT(refusal({.estimator = Estimator::kBayes, .treatment = Treatment::kPick}),
              HasSubstr("--treatment pick picks one penalised fit"));
  EXPECT_THAT(refusal({.estimator = Estimator::kPaper, .treatment = Treatment::kAverage}),
              HasSubstr("picks one setting; leave out --treatment average"));
}

}  // namespace
}  // namespace otss
