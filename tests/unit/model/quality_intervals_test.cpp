#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "base/normal_law.hpp"
#include "base/random.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {
namespace {

using namespace internal;

struct Rows {
  std::vector<double> eta, outcomes, weights;
  std::vector<std::uint32_t> units;
};

double draw(OutputFamily family, double mean, Rng& rng) {
  if (family == OutputFamily::kBernoulli) return rng.uniform() < mean ? 1 : 0;
  if (family == OutputFamily::kGaussian) return mean + rng.normal();
  double count = 0;  // poisson, by waiting times
  for (double time = -std::log(1 - rng.uniform()); time < mean; ++count)
    time -= std::log(1 - rng.uniform());
  return count;
}

// Rows whose units share a part of eta that the prediction does not know.
Rows rows_of(OutputFamily family, std::size_t count, std::size_t rows_each, std::uint64_t seed) {
  Rng rng(seed);
  Rows rows;
  double shared = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % rows_each == 0) shared = 0.4 * rng.normal();
    rows.eta.push_back(0.3 + 0.5 * rng.normal());
    rows.outcomes.push_back(draw(family, family.mean(rows.eta.back() + shared), rng));
    rows.weights.push_back(0.5 + rng.uniform());
    rows.units.push_back(static_cast<std::uint32_t>(i / rows_each));
  }
  return rows;
}

constexpr std::array kMeasures{&PredictionQuality::log_loss, &PredictionQuality::squared_error,
                               &PredictionQuality::deviance, &PredictionQuality::explained,
                               &PredictionQuality::auc,      &PredictionQuality::calibration_slope};
constexpr std::array kIntervals{&QualityIntervals::log_loss, &QualityIntervals::squared_error,
                                &QualityIntervals::deviance, &QualityIntervals::explained,
                                &QualityIntervals::auc,      &QualityIntervals::calibration_slope};

class QualityIntervalsOf : public testing::TestWithParam<OutputFamily> {};

// The standard deviation of a measure over independent samples is what its interval must show.
TEST_P(QualityIntervalsOf, HaveTheWidthOfTheSpreadBetweenSamples) {
  const OutputFamily family = GetParam();
  constexpr int kSamples = 300;
  constexpr std::size_t kRows = 900;
  std::array<double, 6> sum{}, squares{}, width{};
  for (int sample = 0; sample < kSamples; ++sample) {
    const Rows rows = rows_of(family, kRows, 3, 100 + sample);
    const PredictionQuality quality =
        prediction_quality({family}, rows.eta, rows.outcomes, rows.weights);
    const QualityIntervals intervals =
        quality_intervals({family}, rows.eta, rows.outcomes, rows.weights, rows.units, 0.9);
    for (std::size_t m = 0; m < 6; ++m) {
      const Bounds bounds = intervals.*kIntervals[m];
      sum[m] += quality.*kMeasures[m] / kSamples;
      squares[m] += std::pow(quality.*kMeasures[m], 2) / kSamples;
      width[m] += (bounds.hi - bounds.lo) / kSamples;
    }
  }
  for (std::size_t m = 0; m < 6; ++m) {
    if (std::isnan(sum[m])) continue;  // only 0/1 outcomes have an area under the curve
    const double deviation = std::sqrt(squares[m] - sum[m] * sum[m]);
    // A standard deviation of 300 samples has a relative error of 1 / sqrt(600), about 4 %.
    EXPECT_NEAR(width[m] / (2 * normal_quantile(0.95) * deviation), 1, 0.14) << "measure " << m;
  }
}

TEST_P(QualityIntervalsOf, RepeatedRowsOfAUnitAddNoEvidence) {
  const OutputFamily family = GetParam();
  const Rows once = rows_of(family, 50, 1, 7);
  Rows twice;
  for (std::size_t i = 0; i < 100; ++i) {
    twice.eta.push_back(once.eta[i / 2]);
    twice.outcomes.push_back(once.outcomes[i / 2]);
    twice.units.push_back(static_cast<std::uint32_t>(i / 2));
  }
  const QualityIntervals expected =
      quality_intervals({family}, once.eta, once.outcomes, {}, {}, 0.9);
  const QualityIntervals found =
      quality_intervals({family}, twice.eta, twice.outcomes, {}, twice.units, 0.9);
  for (const auto measure : kIntervals) {
    if (std::isnan((expected.*measure).lo)) continue;
    EXPECT_NEAR((found.*measure).lo, (expected.*measure).lo, 1e-8);
    EXPECT_NEAR((found.*measure).hi, (expected.*measure).hi, 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, QualityIntervalsOf,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson),
                         [](const auto& family) { return family.param.name(); });

TEST(QualityIntervals, AreUndefinedWhereTheMeasureIs) {
  const std::vector<double> eta{0.1, -0.4, 0.3}, outcomes{1, 1, 1};
  const QualityIntervals intervals =
      quality_intervals({OutputFamily::kBernoulli}, eta, outcomes, {}, {}, 0.9);
  EXPECT_TRUE(std::isnan(intervals.auc.lo));
  EXPECT_TRUE(std::isnan(intervals.explained.hi));
  EXPECT_TRUE(std::isnan(intervals.calibration_slope.lo));
  EXPECT_LT(intervals.log_loss.lo, intervals.log_loss.hi);
}

}  // namespace
}  // namespace otss
