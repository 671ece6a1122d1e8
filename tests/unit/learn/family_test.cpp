#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {

using namespace internal;

namespace {

using testing::HasSubstr;

class Family : public testing::TestWithParam<OutputFamily::Kind> {
 protected:
  OutputFamily family() const { return GetParam(); }
};

TEST_P(Family, FitRecoversTheWeightMapOfAKnownTruth) {
  // A weight has a standard error of about 0.03 to 0.05 here, 0.1 for 0/1 outcomes; one trade-off
  // for everybody misses by 0.4 on two factors.
  const FamilyLog world(family(), 3000, 51);
  const LoggedData log = world.log();
  const double ours =
      world.weight_error(fit(log, {.experts = 2, .family = family(), .threads = 1}));
  const double pooled =
      world.weight_error(fit(log, {.method = Method::kPooled, .family = family(), .threads = 1}));
  EXPECT_LT(ours, family() == OutputFamily::kBernoulli ? 0.08 : 0.03);
  EXPECT_GT(pooled, 3 * ours);
}

TEST_P(Family, HeterogeneityIsSeenInHeldOutRows) {
  const FamilyLog world(family(), 2000, 52);
  const Fitted fitted = fit(world.log(), {.experts = 2, .family = family(), .threads = 1});
  const MeanAndError gain = fitted.report().gain.value();
  const HeldOutLosses losses = fitted.report().held_out.value();
  EXPECT_TRUE(judge_gain(gain).supported) << gain.mean << " ± " << gain.standard_error;
  EXPECT_NEAR(gain.mean, losses.pooled - losses.model, 1e-9);
}

TEST_P(Family, TheModelFileHoldsItToTheBit) {
  const FamilyLog world(family(), 400, 53);
  const Fitted fitted = fit(world.log(), {.experts = 2, .family = family(), .threads = 1});
  const std::string text = model_to_text(fitted);
  const Fitted loaded = model_from_text(text, "model");
  EXPECT_EQ(loaded.family(), family());
  EXPECT_EQ(loaded.baseline().noise, fitted.baseline().noise);
  EXPECT_EQ(model_to_text(loaded), text);
}

TEST_P(Family, GivesTheSameModelForAnyNumberOfThreads) {
  const LoggedData log = FamilyLog(family(), 600, 54).log();
  const std::string one = model_to_text(fit(log, {.experts = 2, .family = family(), .threads = 1}));
  EXPECT_EQ(one, model_to_text(fit(log, {.experts = 2, .family = family(), .threads = 3})));
}

TEST_P(Family, SampleWeightsEqualRowRepetitionInOneFit) {
  const FamilyLog world(family(), 500, 55);
  std::vector<int> counts;
  for (std::size_t i = 0; i < world.num_rows(); ++i) counts.push_back(static_cast<int>(i % 4));
  counts[0] = 2;
  const LoggedData weighted = world.weighted(counts), repeated = world.repeated(counts);
  const Problem a = whole_problem(weighted, family()), b = whole_problem(repeated, family());
  ASSERT_EQ(a.rows.total(), b.rows.total());
  // Features are f32, centred by sums in another order.
  constexpr double kRounding = 2e-5;
  const PooledFit pooled_a = fit_pooled(a, 1), pooled_b = fit_pooled(b, 1);
  EXPECT_NEAR(pooled_a.penalty.center / pooled_b.penalty.center, 1, kRounding);
  for (std::size_t i = 0; i < pooled_a.fit.theta.size(); ++i)
    EXPECT_NEAR(pooled_a.fit.theta[i], pooled_b.fit.theta[i], kRounding);

  const std::vector<double> start = SpectralStart(a, pooled_a.fit.theta).start(2);
  const auto mixture = [&](const Problem& problem) {
    return fit_mixture(problem, Penalty{}, problem.layout(2), start, {});
  };
  const MixtureFit fit_a = mixture(a), fit_b = mixture(b);
  EXPECT_NEAR(fit_a.objective, fit_b.objective, 1e-7 * (1 + fit_a.objective));
  for (std::size_t i = 0; i < fit_a.theta.size(); ++i)
    EXPECT_NEAR(fit_a.theta[i], fit_b.theta[i], 20 * kRounding);
}

TEST_P(Family, SampleWeightsEqualRowRepetitionInTheWholeFit) {
  // Equal counts: the folds, which keep the copies of a row together, are then the same.
  const FamilyLog world(family(), 500, 56);
  const std::vector<int> counts(world.num_rows(), 2);
  // Chains part ways after the first rounding error; penalised fits do not. Distilling stops when
  // its loss settles to 1e-6, which leaves weights the third digit.
  const FitOptions options{
      .estimator = Estimator::kMap, .experts = 2, .family = family(), .threads = 1};
  const Fitted weighted = fit(world.weighted(counts), options);
  const Fitted repeated = fit(world.repeated(counts), options);
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < FamilyLog::kFactors; ++j)
      EXPECT_NEAR(weighted.mixture()->expert(k)[j], repeated.mixture()->expert(k)[j], 5e-3);
  }
  const auto gain = [](const Fitted& fitted) { return fitted.report().gain.value().mean; };
  EXPECT_NEAR(gain(weighted), gain(repeated), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All, Family,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson),
                         [](const auto& family) { return OutputFamily(family.param).name(); });

TEST(Gaussian, WeightsAndNoiseAreInTheOutcomesOwnUnits) {
  FamilyLog world(OutputFamily::kGaussian, 1500, 57);
  const FitOptions options{
      .estimator = Estimator::kMap, .experts = 2, .family = OutputFamily::kGaussian, .threads = 1};
  const Fitted small = fit(world.log(), options);
  // 0.7² of noise, and the variance 0.1 of the shares times the experts' distance 2.08.
  EXPECT_NEAR(small.baseline().noise, std::sqrt(0.49 + 0.1 * 2.08), 0.06);
  for (double& y : world.outcomes()) y = 1000 * y + 5000;
  const Fitted large = fit(world.log(), options);
  EXPECT_NEAR(large.baseline().noise / small.baseline().noise, 1000, 0.1);
  for (int j = 0; j < FamilyLog::kFactors; ++j)
    EXPECT_NEAR(large.mixture()->expert(0)[j], 1000 * small.mixture()->expert(0)[j], 2);
  const auto log_loss = [](const Fitted& fitted) { return fitted.report().held_out.value().model; };
  EXPECT_NEAR(log_loss(large), log_loss(small) + std::log(1000), 1e-3);
}

TEST(Gaussian, RefusesAnOutcomeThatSinglePrecisionCannotTellApart) {
  FamilyLog world(OutputFamily::kGaussian, 300, 58);
  for (double& y : world.outcomes()) y = 1e9 + 1000 * y;
  try {
    fit(world.log(), {.family = OutputFamily::kGaussian, .threads = 1});
    FAIL() << "fitted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("subtract a constant"));
  }
}

TEST(Poisson, CountsInTheMillionsAreFittedAsWellAsSmallOnes) {
  const FamilyLog world(OutputFamily::kPoisson, 1000, 59, std::log(2e6));
  const Fitted fitted =
      fit(world.log(), {.experts = 2, .family = OutputFamily::kPoisson, .threads = 1});
  EXPECT_LT(world.weight_error(fitted), 0.01);
}

TEST(Fit, RefusesOutcomesThatTheFamilyCannotHave) {
  const FamilyLog world(OutputFamily::kGaussian, 300, 60);
  const LoggedData log = world.log();
  for (const OutputFamily family : {OutputFamily::kBernoulli, OutputFamily::kPoisson}) {
    try {
      fit(log, {.family = family, .threads = 1});
      FAIL() << "fitted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("in row 1, but --family"));
    }
  }
}

TEST(Bayes, SamplesGaussianAndPoissonModelsToo) {
  for (const OutputFamily family :
       {OutputFamily(OutputFamily::kGaussian), OutputFamily(OutputFamily::kPoisson)}) {
    const FamilyLog world(family, 800, 61);
    const Fitted fitted =
        fit(world.log(),
            {.estimator = Estimator::kBayes, .experts = 2, .family = family, .threads = 1});
    EXPECT_LT(world.weight_error(fitted), 0.08) << family.name();
  }
}

}  // namespace
}  // namespace otss::test
