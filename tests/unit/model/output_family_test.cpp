#include "otss/model/output_family.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/family_formulas.hpp"
#include "otss/base/error.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr OutputFamily::Kind kAll[] = {OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                       OutputFamily::kPoisson};

TEST(OutputFamily, SlopeIsTheDerivativeOfTheLoss) {
  constexpr double kStep = 1e-6;
  for (const OutputFamily family : kAll) {
    for (const double outcome : {0.0, 1.0, 3.0, 250.0}) {
      if (!family.allows(outcome)) continue;
      for (const double eta : {-4.0, -0.3, 0.0, 1.7, 6.0}) {
        const double difference =
            (family.loss(eta + kStep, outcome) - family.loss(eta - kStep, outcome)) / (2 * kStep);
        EXPECT_NEAR(family.slope(eta, outcome), difference, 1e-6 * (1 + std::abs(difference)))
            << family.name() << " eta " << eta << " outcome " << outcome;
      }
    }
  }
}

TEST(OutputFamily, CurvatureIsTheDerivativeOfTheMean) {
  // Links are canonical: the slope is mean - outcome, whatever the outcome.
  constexpr double kStep = 1e-6;
  for (const OutputFamily family : kAll) {
    for (const double eta : {-4.0, 0.0, 2.5}) {
      const double difference = (family.mean(eta + kStep) - family.mean(eta - kStep)) / (2 * kStep);
      EXPECT_NEAR(family.curvature(eta), difference, 1e-7 * (1 + difference)) << family.name();
      EXPECT_NEAR(family.slope(eta, 1), family.mean(eta) - 1,
                  1e-12 * (1 + std::abs(family.mean(eta))));
      EXPECT_NEAR(family.link(family.mean(eta)), eta, 1e-12);
    }
  }
}

TEST(OutputFamily, LossIsZeroWhereThePredictionIsTheOutcome) {
  EXPECT_EQ(OutputFamily(OutputFamily::kGaussian).loss(-2.5, -2.5), 0);
  EXPECT_NEAR(OutputFamily(OutputFamily::kPoisson).loss(std::log(7.0), 7), 0, 1e-14);
  EXPECT_NEAR(OutputFamily(OutputFamily::kPoisson).loss(-800, 0), 0, 1e-300);
  EXPECT_NEAR(OutputFamily(OutputFamily::kBernoulli).loss(800, 1), 0, 1e-300);
}

TEST(OutputFamily, LogLossesAreThoseOfDistributionsThatSumToOne) {
  const OutputFamily poisson = OutputFamily::kPoisson;
  double total = 0;
  for (int y = 0; y < 60; ++y) total += std::exp(-poisson.log_loss(std::log(6.0), y));
  EXPECT_NEAR(total, 1, 1e-12);

  const OutputFamily gaussian = OutputFamily::kGaussian;
  total = 0;
  for (int i = -1000; i <= 1000; ++i)
    total += 0.05 * std::exp(-gaussian.log_loss(3, 0.05 * i, 2.5));
  EXPECT_NEAR(total, 1, 1e-10);
}

TEST(OutputFamily, LargeCountsKeepTheirPrecisionInF32) {
  const double eta = std::log(5e6) + 0.004;
  const auto once = PoissonFormulas::at(static_cast<float>(eta), 5e6F);
  const auto twice = PoissonFormulas::at(eta, 5e6);
  // f32 rounds eta itself by 1e-6: of the excess 0.004 that is a part in 4000.
  EXPECT_NEAR(once.slope, twice.slope, 1e-3 * twice.slope);
  EXPECT_NEAR(once.loss, twice.loss, 2e-3 * twice.loss);
}

TEST(OutputFamily, MeansStayFinite) {
  EXPECT_TRUE(std::isfinite(OutputFamily(OutputFamily::kPoisson).mean(1e6)));
}

TEST(OutputFamily, KnowsItsNameAndItsOutcomes) {
  for (const OutputFamily family : kAll) EXPECT_EQ(parse_word<OutputFamily>(family.name()), family);
  EXPECT_FALSE(OutputFamily(OutputFamily::kPoisson).allows(1.5));
  EXPECT_FALSE(OutputFamily(OutputFamily::kPoisson).allows(-1));
  EXPECT_TRUE(OutputFamily(OutputFamily::kGaussian).allows(-1.5));
  EXPECT_FALSE(OutputFamily(OutputFamily::kBernoulli).allows(2));
  EXPECT_EQ(parse_word<OutputFamily>("gamma"), std::nullopt);
}

TEST(PredictionQuality, OfPerfectGaussianPredictionsIsOne) {
  const std::vector<double> eta{1, 2, 4, 8};
  const PredictionQuality quality = prediction_quality({OutputFamily::kGaussian, 0.5}, eta, eta);
  EXPECT_EQ(quality.squared_error, 0);
  EXPECT_EQ(quality.explained, 1);
  EXPECT_NEAR(quality.calibration_slope, 1, 1e-9);
  EXPECT_TRUE(std::isnan(quality.auc));
}

TEST(PredictionQuality, SeesPredictorsThatAreTwiceTooSteep) {
  const std::vector<double> outcomes{1, 1, 2, 3, 5, 8, 2, 6};
  std::vector<double> eta;
  for (const double y : outcomes) eta.push_back(2 * std::log(y) - 0.5);
  const PredictionQuality poisson = prediction_quality({OutputFamily::kPoisson}, eta, outcomes);
  EXPECT_NEAR(poisson.calibration_slope, 0.5, 1e-6);
  EXPECT_LT(poisson.explained, 1);
  EXPECT_GT(poisson.deviance, 0);
}

}  // namespace
}  // namespace otss
