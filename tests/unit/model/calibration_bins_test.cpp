#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr PredictedFamily kBinary{OutputFamily::kBernoulli, 1};

struct CalibratedRows {
  std::vector<double> eta, outcomes;
};

// Rows whose outcomes have the probabilities that eta predicts.
CalibratedRows calibrated(std::size_t count, std::uint64_t seed) {
  Rng rng(seed);
  CalibratedRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.eta.push_back(rng.normal());
    const double mean = OutputFamily(OutputFamily::kBernoulli).mean(rows.eta.back());
    rows.outcomes.push_back(rng.uniform() < mean ? 1 : 0);
  }
  return rows;
}

TEST(CalibrationBins, HaveEqualSizesAndRisingPredictions) {
  const CalibratedRows rows = calibrated(5000, 1);
  const auto bins = calibration_bins(kBinary, rows.eta, rows.outcomes);
  ASSERT_EQ(bins.size(), 10U);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    EXPECT_EQ(bins[i].rows, 500U);
    EXPECT_GT(bins[i].predicted, i == 0 ? 0 : bins[i - 1].predicted);
  }
}

// The standard error is the larger of two estimates, so that somewhat more than 90 % of 2,000
// intervals cover. The tolerance is 3 standard errors of this share (0.007 each).
TEST(CalibrationBins, HaveIntervalsThatCoverTheMeanPrediction) {
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const CalibratedRows rows = calibrated(3000, 100 + seed);
    for (const PredictionBin& bin : calibration_bins(kBinary, rows.eta, rows.outcomes)) {
      const Bounds bounds = bin.interval(OutputFamily::kBernoulli, 0.9);
      covered += bounds.lo <= bin.predicted && bin.predicted <= bounds.hi ? 1 : 0;
    }
  }
  EXPECT_GT(covered / 2000.0, 0.9 - 0.021);
  EXPECT_LT(covered / 2000.0, 0.92 + 0.021);
}

TEST(CalibrationBins, AreFewOfFewRowsAndKeepEqualPredictionsTogether) {
  EXPECT_EQ(calibration_bins(kBinary, calibrated(59, 2).eta, calibrated(59, 2).outcomes).size(),
            1U);
  std::vector<double> eta(200, -1.0), outcomes(200, 0.0);
  std::fill(eta.begin() + 90, eta.end(), 1.0);
  const auto bins = calibration_bins(kBinary, eta, outcomes);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].rows, 90U);
  EXPECT_EQ(bins[1].rows, 110U);
  EXPECT_TRUE(calibration_bins(kBinary, {}, {}).empty());
}

TEST(CalibrationBins, OfEqualOutcomesHaveTheErrorThatThePredictionsImply) {
  const std::vector<double> eta(100, -3.0), outcomes(100, 0.0);
  const auto bins = calibration_bins(kBinary, eta, outcomes);
  ASSERT_EQ(bins.size(), 1U);
  const double p = bins[0].predicted;
  EXPECT_NEAR(bins[0].standard_error, std::sqrt(p * (1 - p) / 100), 1e-12);
  EXPECT_EQ(bins[0].interval(OutputFamily::kBernoulli, 0.9).lo, 0);
}

TEST(CalibrationBins, AccountForWeightsAndUnits) {
  CalibratedRows once = calibrated(600, 3);
  CalibratedRows twice = once;
  twice.eta.insert(twice.eta.end(), once.eta.begin(), once.eta.end());
  twice.outcomes.insert(twice.outcomes.end(), once.outcomes.begin(), once.outcomes.end());
  std::vector<std::uint32_t> units;
  for (std::uint32_t i = 0; i < 1200; ++i) units.push_back(i % 600);
  const std::vector<double> weights(600, 2.0);
  const auto single = calibration_bins(kBinary, once.eta, once.outcomes, weights);
  const auto doubled = calibration_bins(kBinary, twice.eta, twice.outcomes, {}, units);
  ASSERT_EQ(single.size(), doubled.size());
  for (std::size_t i = 0; i < single.size(); ++i) {
    EXPECT_NEAR(single[i].observed, doubled[i].observed, 1e-12);
    EXPECT_GT(doubled[i].standard_error, 0.8 * single[i].standard_error)
        << "independent rows would have 0.7 times the error";
  }
}

}  // namespace
}  // namespace otss
