#include "learn/methods/paper_recipe.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/simulation.hpp"
#include "lab/worlds/truth.hpp"
#include "learn/comparison_fit.hpp"
#include "otss/base/error.hpp"

namespace otss {
namespace {

using namespace internal;

Fitted fit_paper(const Simulation& world, Estimator estimator, bool refit) {
  return fit_for_comparison(training_log(world),
                            {.estimator = estimator, .experts = 2, .threads = 1}, {.refit = refit});
}

ComparedSettings settings_of(const Fitted& fitted) {
  return std::get<ComparedSettings>(fitted.report().choice.value().settings);
}

double error_of(const Simulation& world, const Fitted& fitted) {
  return score_test_weights(world, test_weights(world, fitted)).weight_mse;
}

TEST(PaperRecipe, FindsTwoTradeOffs) {
  const Simulation world = simulate_overlap({.n = 5000, .seed = 7});
  const Fitted pooled = fit(training_log(world), {.method = Method::kPooled, .threads = 1});
  const Fitted paper = fit_paper(world, Estimator::kPaper, true);
  EXPECT_EQ(paper.estimator(), Estimator::kPaper);
  EXPECT_LT(error_of(world, paper), 0.5 * error_of(world, pooled));
}

TEST(PaperRecipe, ChoosesRidgeStartAndStopOnValidationRows) {
  const Simulation world = simulate_overlap({.n = 2000, .seed = 8});
  const ComparedSettings settings = settings_of(fit_paper(world, Estimator::kPaper, false));
  double least = 1e300;
  for (const auto& tried : settings.tried) least = std::min(least, tried.log_loss);
  EXPECT_EQ(settings.tried.size(), 2u * 3 * 9);
  for (const auto& tried : settings.tried) {
    if (tried.setting == settings.chosen) {
      EXPECT_EQ(tried.log_loss, least);
    }
  }
  EXPECT_TRUE(settings.chosen.contains("passes"));
}

TEST(PaperRecipe, HasStrongerRidgesWhenWide) {
  const Simulation world = simulate_overlap({.n = 2000, .seed = 8});
  const ComparedSettings settings = settings_of(fit_paper(world, Estimator::kPaperWide, true));
  EXPECT_EQ(settings.tried.size(), 5u * 3 * 9);
}

TEST(PaperRecipe, IsTheSameForAnyNumberOfThreads) {
  const LoggedData log = training_log(simulate_overlap({.n = 1000, .seed = 9}));
  FitOptions options{.estimator = Estimator::kPaper, .experts = 2, .validation = 0.2, .threads = 1};
  const Fitted one = fit(log, options);
  options.threads = 3;
  const Fitted three = fit(log, options);
  ASSERT_EQ(one.num_experts(), three.num_experts());
  for (int k = 0; k < one.num_experts(); ++k) EXPECT_EQ(one.expert(k), three.expert(k));
}

TEST(PaperRecipe, RefusesWhatItDoesNotKnow) {
  const LoggedData log = training_log(simulate_overlap({.n = 400, .seed = 9}));
  EXPECT_THROW(fit(log, {.estimator = Estimator::kPaper, .gate = GateChoice::kQuadratic}), Error);
  EXPECT_THROW(fit(log, {.estimator = Estimator::kPaper, .sign = "z1=+"}), Error);
}

}  // namespace
}  // namespace otss
