#include "learn/probabilities/probability_mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/normal_law.hpp"
#include "base/random.hpp"
#include "engine/mixture_row.hpp"
#include "lab/worlds/simulation.hpp"
#include "learn/mixture/covariance.hpp"
#include "learn/probabilities/routed_fit.hpp"
#include "learn/probabilities/taste_start.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// Each row follows the weights (2, -1) or (-1, 2), times `strength`. share(x1) is the probability of
// the first.
LoggedData two_kinds_of_rows(std::size_t count, std::uint64_t seed,
                             const std::function<double(double)>& share, double strength = 2) {
  Rng rng(seed);
  std::vector<std::vector<double>> contexts(2), factors(2);
  std::vector<double> outcomes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> x = test::normals(rng, 2);
    const std::vector<double> z = test::normals(rng, 2);
    const bool first = rng.uniform() < share(x[0]);
    const double score = strength * (first ? 2 * z[0] - z[1] : 2 * z[1] - z[0]);
    outcomes.push_back(rng.uniform() < test::logistic(score) ? 1 : 0);
    for (int j = 0; j < 2; ++j) {
      contexts[j].push_back(x[j]);
      factors[j].push_back(z[j]);
    }
  }
  return make_log({{"x1", contexts[0]}, {"x2", contexts[1]}},
                  {{"z1", factors[0]}, {"z2", factors[1]}}, outcomes);
}

double half(double) { return 0.5; }
double by_context(double x) { return test::logistic(3 * x); }

FitOptions quickly() { return {.estimator = Estimator::kMap, .seed = 3}; }

std::vector<double> shares_at(const Fitted& fitted, double x1) {
  std::vector<double> shares(fitted.num_experts());
  fitted.mixture()->shares(std::vector<double>{x1, 0}, shares);
  return shares;
}

TEST(ProbabilityMixture, IsDeployedWhereRowsOfTheSameContextFollowDifferentExperts) {
  const Fitted fitted = fit(two_kinds_of_rows(3000, 41, half), quickly());
  ASSERT_TRUE(fitted.mixes_probabilities());
  EXPECT_EQ(fitted.method(), Method::kOtss);
  EXPECT_EQ(shares_at(fitted, -1), shares_at(fitted, 1));
  // The gain is large, but the contexts have no part in it.
  EXPECT_TRUE(judge_gain(fitted.report().gain.value()).supported);
  EXPECT_FALSE(judge_contexts(fitted.report()).supported);
  ASSERT_TRUE(fitted.has_mean_intervals());
  const std::vector<double> x{0.5, -1}, z{1, 0.3};
  const Bounds mean = fitted.mean_interval(x, z, 0.9);
  const double truth = 0.5 * test::logistic(2 * (2 - 0.3)) + 0.5 * test::logistic(2 * (0.6 - 1));
  EXPECT_LT(mean.lo, truth);
  EXPECT_GT(mean.hi, truth);
  EXPECT_LT(mean.hi - mean.lo, 0.15);
}

TEST(ProbabilityMixture, DoesNotPullOppositeTastesTogether) {
  // The largest weight is 24. A prior with a quarter of the standard deviation gave 4 to 5 here.
  const Fitted fitted = fit(two_kinds_of_rows(400, 47, half, 12), quickly());
  ASSERT_TRUE(fitted.mixes_probabilities());
  double largest = 0;
  for (int k = 0; k < fitted.num_experts(); ++k) {
    for (const NamedWeight& of : fitted.expert(k)) largest = std::max(largest, of.weight);
  }
  EXPECT_GT(largest, 7);
}

TEST(ProbabilityMixture, HasSharesThatDependOnTheContextWhereTheyPredictBetter) {
  const Fitted fitted = fit(two_kinds_of_rows(3000, 42, by_context), quickly());
  ASSERT_TRUE(fitted.mixes_probabilities());
  EXPECT_TRUE(judge_contexts(fitted.report()).supported);
  std::vector<double> right(2);
  fitted.weights(std::vector<double>{2, 0}, right);
  EXPECT_NEAR(right[0], 4, 0.8);
  EXPECT_NEAR(right[1], -2, 0.8);
}

TEST(ProbabilityMixture, IsNotDeployedWhereAContextHasOneTradeOff) {
  const LoggedData log = training_log(simulate_overlap({.n = 3000, .seed = 43}));
  const Fitted fitted = fit(log, quickly());
  EXPECT_FALSE(fitted.mixes_probabilities());
  EXPECT_FALSE(fitted.report().context_gain.has_value());
}

TEST(ProbabilityMixture, IsOnlyForAutoWithoutBounds) {
  const LoggedData log = two_kinds_of_rows(1500, 41, half);
  FitOptions options = quickly();
  options.method = Method::kOtss;
  EXPECT_FALSE(fit(log, options).mixes_probabilities());
  options = quickly();
  options.sign = "z1=+";
  EXPECT_FALSE(fit(log, options).mixes_probabilities());
}

TEST(ProbabilityMixture, IsKeptByAModelFileAndContinuedByAFit) {
  const Fitted first = fit(two_kinds_of_rows(3000, 44, by_context), quickly());
  const Fitted loaded = model_from_text(model_to_text(first), "m.json");
  ASSERT_TRUE(loaded.mixes_probabilities());
  EXPECT_EQ(model_checksum(first), model_checksum(loaded));
  EXPECT_EQ(loaded.report().context_gain->mean, first.report().context_gain->mean);

  FitOptions options = quickly();
  options.init = std::make_shared<Fitted>(loaded);
  const Fitted next = fit(two_kinds_of_rows(3000, 45, by_context), options);
  ASSERT_TRUE(next.mixes_probabilities());
  ASSERT_EQ(next.num_experts(), first.num_experts());
  for (int k = 0; k < first.num_experts(); ++k) {
    if (shares_at(first, 0)[k] < 0.2) continue;
    EXPECT_NEAR(next.mixture()->expert(k)[0], first.mixture()->expert(k)[0], 1.5) << k;
  }
}

TEST(ProbabilityMixture, GivesTheSameModelToTheBitForAnyNumberOfThreads) {
  const LoggedData log = two_kinds_of_rows(1500, 46, half);
  FitOptions options = quickly();
  options.threads = 1;
  const std::string one = model_to_text(fit(log, options));
  options.threads = 3;
  EXPECT_EQ(one, model_to_text(fit(log, options)));
}

// The linear predictor of a new row, with its standard error.
struct UnsureEta {
  double eta = 0;
  double standard_error = 0;
};

UnsureEta eta_of(const MixtureLayout& layout, std::span<const double> theta,
                 const Eigen::MatrixXd& covariance, const TileMatrix& row) {
  MixtureRow at(layout, theta, Mixed::kProbabilities);
  at.evaluate(row.tile(0));
  Eigen::VectorXd derivative(layout.size());
  at.derivative(1, {derivative.data(), layout.size()});
  return {at.eta(), std::sqrt(derivative.dot(covariance * derivative))};
}

TEST(ProbabilityMixture, HasIntervalsThatCoverTheTruth) {
  constexpr int kLogs = 60;
  const double z[] = {1, 0.5};
  const double p =
      0.5 * test::logistic(2 * (2 * z[0] - z[1])) + 0.5 * test::logistic(2 * (2 * z[1] - z[0]));
  const double truth = std::log(p / (1 - p));
  int covered = 0;
  for (int seed = 0; seed < kLogs; ++seed) {
    const LoggedData log = two_kinds_of_rows(1200, 500 + seed, half);
    const Problem problem = whole_problem(log);
    const MixtureLayout layout = problem.layout(2);
    const PooledFit pooled = fit_pooled(problem, 1);
    Penalty penalty = pooled.penalty;
    penalty.gate = 1e8;
    penalty.expert = 0.1;
    const RoutedFit fit = fit_routed(problem, {}, penalty, layout,
                                     TasteStart(problem, pooled.fit.theta).start(2), {});
    const FitCovariance covariance =
        fit_covariance(problem, penalty, layout, fit.theta, {}, 1, Mixed::kProbabilities);
    // The row in the units of the log.
    TileMatrix scaled(1, 4);
    for (int j = 0; j < 2; ++j) {
      const FactorColumn& factor = log.encoder().factors[j];
      scaled.at(0, 2 + j) = static_cast<float>((z[j] - factor.center) / factor.scale);
    }
    const UnsureEta found = eta_of(layout, fit.theta, covariance.matrix, scaled);
    if (std::abs(found.eta - truth) < normal_quantile(0.95) * found.standard_error) ++covered;
  }
  // 54 of 60 are expected; the standard deviation is 2.3.
  EXPECT_GE(covered, 48);
  EXPECT_LE(covered, 59);
}

}  // namespace
}  // namespace otss
