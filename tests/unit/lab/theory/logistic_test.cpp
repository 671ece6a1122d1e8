#include "lab/theory/logistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace otss {
namespace {

using namespace internal;

struct Rows {
  std::vector<double> factors;
  std::vector<float> outcomes;
};

Rows draw_rows(const RateWeights& w, std::size_t count, Rng& rng) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    double score = 0;
    for (const double weight : w) {
      rows.factors.push_back(rng.uniform(-1, 1));
      score += weight * rows.factors.back();
    }
    rows.outcomes.push_back(rng.uniform() < 1 / (1 + std::exp(-score)) ? 1.0F : 0.0F);
  }
  return rows;
}

// Mean over logs of ŵ'w / w'w - 1: how far too large a fit is.
double relative_bias(LogisticFit how, std::size_t rows, int logs) {
  Rng rng(7301);
  const RateWeights w = {1.4, -1, 0.5, -0.5};
  double sum = 0;
  double norm = 0;
  for (const double weight : w) norm += weight * weight;
  for (int i = 0; i < logs; ++i) {
    const Rows log = draw_rows(w, rows, rng);
    const RateWeights estimate = fit_logistic(log.factors, log.outcomes, how);
    for (int j = 0; j < kRateFactors; ++j) sum += estimate[j] * w[j] / norm / logs;
  }
  return sum - 1;
}

TEST(FitLogistic, HasAGradientOfZeroAtTheMaximumOfTheLikelihood) {
  Rng rng(7302);
  const Rows log = draw_rows({1, -1, 0.5, 0}, 300, rng);
  const RateWeights w = fit_logistic(log.factors, log.outcomes, LogisticFit::kMaximumLikelihood);
  RateWeights gradient = {};
  for (std::size_t i = 0; i < log.outcomes.size(); ++i) {
    const double* z = &log.factors[i * kRateFactors];
    double score = 0;
    for (int j = 0; j < kRateFactors; ++j) score += w[j] * z[j];
    for (int j = 0; j < kRateFactors; ++j)
      gradient[j] += (log.outcomes[i] - 1 / (1 + std::exp(-score))) * z[j];
  }
  for (const double g : gradient) EXPECT_NEAR(g, 0, 1e-9);
}

TEST(FitLogistic, BiasReductionTakesTheBiasOfSmallBinsAway) {
  // A log's ŵ'w / w'w has a standard deviation of about 0.2 at 128 rows: the mean of 2000 is known
  // to 0.005.
  EXPECT_GT(relative_bias(LogisticFit::kMaximumLikelihood, 128, 2000), 0.03);
  EXPECT_NEAR(relative_bias(LogisticFit::kBiasReduced, 128, 2000), 0, 0.015);
}

TEST(FitLogistic, BiasReductionIsFiniteOnRowsThatSeparate) {
  const std::vector<double> factors = {1,      0, 0, 0, /**/ 0,  1,  0,  0, /**/ 0, 0, 1, 0,
                                       /**/ 0, 0, 0, 1, /**/ -1, -1, -1, -1};
  const std::vector<float> outcomes = {1, 1, 1, 1, 0};
  for (const double w : fit_logistic(factors, outcomes, LogisticFit::kBiasReduced)) {
    EXPECT_GT(w, 0);
    EXPECT_LT(w, 5);
  }
}

}  // namespace
}  // namespace otss
