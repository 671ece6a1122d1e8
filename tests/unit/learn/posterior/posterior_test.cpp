#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/linear_predictors.hpp"
#include "lab/worlds/oracle_gate.hpp"
#include "lab/worlds/simulation.hpp"
#include "lab/worlds/truth.hpp"
#include "learn/posterior/leave_one_out.hpp"
#include "learn/posterior/posterior_average.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

double regret(const Simulation& s, const Fitted& fitted) {
  return score_against_truth(test_weights(s, fitted), s.test.weights, s.library).regret;
}

double mean_loss_of(const Problem& problem, const std::vector<double>& eta) {
  double sum = 0;
  for (std::size_t i = 0; i < eta.size(); ++i)
    sum += std::log1p(std::exp(problem.rows[i] > 0 ? -eta[i] : eta[i]));
  return sum / static_cast<double>(eta.size());
}

TEST(SamplePosterior, MixesOnALogWithTwoClearExperts) {
  const LoggedData log = training_log(simulate_overlap({.n = 2000, .seed = 41}));
  const Problem problem = whole_problem(log);
  const Posterior posterior =
      sample_posterior(problem, fit_pooled(problem, 1), 2, {.num_threads = 2});
  EXPECT_EQ(posterior.draws.size(), 320u);
  EXPECT_LT(posterior.weights.r_hat, 1.2);
  EXPECT_GT(posterior.weights.effective_sample, 10);
  EXPECT_GT(posterior.acceptance, 0.5);
  EXPECT_EQ(mixing_warning(posterior), "");
}

TEST(SamplePosterior, ReportsStrengthsOfAllDrawsNotOfTheLast) {
  const LoggedData log = training_log(simulate_overlap({.n = 500, .seed = 41}));
  const Problem problem = whole_problem(log);
  const Posterior posterior =
      sample_posterior(problem, fit_pooled(problem, 1), 2, {.burn_in = 20, .draws = 10});
  const LearnedPenalty prior = LearnedPenalty::standard(posterior.layout);
  double logs = 0;
  for (const auto& theta : posterior.draws)
    logs += std::log(prior.strengths(posterior.layout, theta).expert);
  const double typical = std::exp(logs / static_cast<double>(posterior.draws.size()));
  EXPECT_NEAR(posterior.strengths.expert, typical, 1e-12 * typical);
  EXPECT_NE(posterior.strengths.expert,
            prior.strengths(posterior.layout, posterior.draws.back()).expert);
}

TEST(SamplePosterior, WarnsWhenTheChainsAreTooShort) {
  const LoggedData log = training_log(simulate_overlap({.n = 500, .seed = 41}));
  const Problem problem = whole_problem(log);
  const Posterior posterior =
      sample_posterior(problem, fit_pooled(problem, 1), 5, {.burn_in = 2, .draws = 4});
  EXPECT_THAT(mixing_warning(posterior), HasSubstr("a smaller number in --experts"));
}

TEST(SamplePosterior, GivesTheSameDrawsForAnyNumberOfThreads) {
  const LoggedData log = training_log(simulate_overlap({.n = 500, .seed = 42}));
  const Problem problem = whole_problem(log);
  const PooledFit pooled = fit_pooled(problem, 1);
  const Posterior one =
      sample_posterior(problem, pooled, 3, {.burn_in = 10, .draws = 10, .num_threads = 1});
  const Posterior two =
      sample_posterior(problem, pooled, 3, {.burn_in = 10, .draws = 10, .num_threads = 2});
  EXPECT_EQ(one.draws, two.draws);
}

TEST(SamplePosterior, HasTheMeanAndSpreadOfTheLaplaceApproximationForOneExpert) {
  // 2000 rows and 20 parameters: the posterior is a normal at the fit to within a few tenths of its
  // spread.
  const LoggedData log = training_log(simulate_pooled({.n = 2000, .seed = 43}));
  const Problem problem = whole_problem(log);
  const PooledFit pooled = fit_pooled(problem, 1);
  const Posterior posterior = sample_posterior(problem, pooled, 1, {.draws = 600});
  const MixtureLayout layout = posterior.layout;
  for (int j = 0; j < layout.num_factors; ++j) {
    const std::size_t i = layout.expert(0) + j;
    double mean = 0;
    double square = 0;
    for (const auto& theta : posterior.draws)
      mean += theta[i] / static_cast<double>(posterior.draws.size());
    for (const auto& theta : posterior.draws) {
      square += std::pow(theta[i] - mean, 2) / static_cast<double>(posterior.draws.size());
    }
    // A logistic slope of unit-variance factors has a standard error near 1 / sqrt(n p (1 - p)), p
    // about 1/2 or beyond.
    EXPECT_NEAR(mean, pooled.fit.theta[i], 0.5 * std::sqrt(square)) << "factor " << j;
    EXPECT_GT(std::sqrt(square), 0.7 * 2 / std::sqrt(2000.0));
    EXPECT_LT(std::sqrt(square), 2 * 2 / std::sqrt(2000.0));
  }
}

TEST(LeaveOneOut, LosesWhatTheParametersLearnedFromEachRow) {
  // In-sample loss is too good by about (parameters / rows): Akaike's argument.
  const LoggedData log = training_log(simulate_pooled({.n = 1000, .seed = 44}));
  const Problem problem = whole_problem(log);
  const Posterior posterior = sample_posterior(problem, fit_pooled(problem, 1), 1, {.draws = 400});
  std::vector<double> inside(problem.num_rows(), 0.0);
  for (const auto& theta : posterior.draws) {
    std::vector<double> eta(problem.num_rows());
    linear_predictors(*problem.features, posterior.layout, theta, 1, eta);
    for (std::size_t i = 0; i < eta.size(); ++i)
      inside[i] += eta[i] / static_cast<double>(posterior.draws.size());
  }
  const double left_out = mean_loss_of(
      problem, leave_one_out_predictors(problem, posterior.layout, posterior.draws, 1));
  const double expected =
      19.0 / 1000;  // ten slopes, eight weights, one intercept; the penalty takes a part of it
  const double optimism = left_out - mean_loss_of(problem, inside);
  EXPECT_GT(optimism, 0.4 * expected);
  EXPECT_LT(optimism, 1.3 * expected);
}

TEST(FitBayes, IsFarBetterThanPooledAndCloseToTheOracleGate) {
  double bayes = 0;
  double pooled = 0;
  double oracle = 0;
  for (std::uint64_t seed = 21; seed < 24; ++seed) {
    const Simulation s = simulate_overlap({.n = 3000, .seed = seed});
    const LoggedData log = training_log(s);
    bayes += regret(s, fit(log, {.estimator = Estimator::kBayes, .experts = 2}));
    pooled += regret(s, fit(log, {.method = Method::kPooled}));
    oracle += score_against_truth(oracle_gate_weights(s), s.test.weights, s.library).regret;
  }
  EXPECT_LT(bayes, 2.5 * oracle);
  EXPECT_LT(bayes, 0.4 * pooled);
}

TEST(FitBayes, RecordsHowItsChainsMixed) {
  const LoggedData log = training_log(simulate_overlap({.n = 1500, .seed = 45}));
  const Fitted fitted = fit(log, {.estimator = Estimator::kBayes});
  const FitReport& report = fitted.report();
  const auto& averaged = std::get<AveragedSettings>(report.choice.value().settings);
  // One trade-off, then 2, 3 and 5 experts; these again with a gate of few columns.
  ASSERT_EQ(report.chains.size(), 7u);
  EXPECT_EQ(report.chains[4].gate_columns, GateColumns::kFew);
  EXPECT_GT(averaged.few_columns_share.value(), 0.3);
  const ChainsReport& two = report.chains[1];
  EXPECT_EQ(two.experts, 2);
  EXPECT_EQ(two.chains, 2);
  EXPECT_GT(two.weights.effective_sample, 1);
  EXPECT_LT(averaged.distilling.relative, 0.2);
  EXPECT_TRUE(judge_gain(report.gain.value()).supported);
  EXPECT_EQ(model_from_text(model_to_text(fitted), "m").estimator(), Estimator::kBayes);
}

TEST(FitBayes, GivesTheSameModelForAnyNumberOfThreads) {
  const LoggedData log = training_log(simulate_overlap({.n = 600, .seed = 46}));
  EXPECT_EQ(model_to_text(fit(log, {.estimator = Estimator::kBayes, .experts = 2, .threads = 1})),
            model_to_text(fit(log, {.estimator = Estimator::kBayes, .experts = 2, .threads = 3})));
}

TEST(FitBayes, RefusesValidationRowsItWouldNotUse) {
  const LoggedData log = training_log(simulate_overlap({.n = 600, .seed = 46}));
  try {
    fit(log, {.estimator = Estimator::kBayes, .validation = 0.2});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--validation"));
  }
}

}  // namespace
}  // namespace otss
