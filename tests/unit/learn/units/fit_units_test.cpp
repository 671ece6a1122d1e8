// Fits of logs with units, from the log to the model.
#include <gmock/gmock.h>

#include <Eigen/Core>

#include "otss/base/error.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/units.hpp"
#include "unit/learn/units/panel.hpp"

namespace otss::test {
namespace {

using testing::HasSubstr;

std::string refusal(const LoggedData& log, const FitOptions& options) {
  try {
    fit(log, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Eigen::MatrixXd spread_of(double deviation) { return deviation * Eigen::MatrixXd::Identity(3, 3); }

TEST(FitWithUnits, SupportsDeviationsWhereUnitsDiffer) {
  const Panel panel({.units = 300, .rows = 12, .seed = 11}, spread_of(0.8));
  const Fitted fitted = fit(panel.log(), {.method = Method::kPooled, .threads = 2});
  const DeviationReport& report = fitted.report().deviations.value();
  EXPECT_TRUE(report.supported);
  EXPECT_EQ(report.units, 300U);
  ASSERT_NE(fitted.deviations(), nullptr);
  EXPECT_EQ(fitted.deviations()->form, report.chosen);
  EXPECT_LT(report.known_units.with, report.known_units.without - 0.005);
  EXPECT_NEAR(report.new_units.value().with, report.new_units.value().without, 0.01);
  const VariationShares& shares = report.variation.value();
  EXPECT_NEAR(shares.decision + shares.context + shares.unit + shares.rest, 1, 1e-9);
  // Variances: 1 of the factors' scores, 0.09 of the context, 1.92 of units and 3.29 of the rest.
  EXPECT_NEAR(shares.unit, 1.92 / 6.3, 0.1);
  EXPECT_TRUE(fitted.has_uncertainty());
}

TEST(FitWithUnits, GivesTheModelWithoutUnitsWhereTheyDoNotDiffer) {
  const Panel panel({.units = 300, .rows = 8, .seed = 12}, spread_of(0));
  const Fitted fitted = fit(panel.log(), {.method = Method::kPooled});
  EXPECT_FALSE(fitted.report().deviations.value().supported);
  EXPECT_EQ(fitted.deviations(), nullptr);
  const Fitted plain = fit(panel.log(false), {.method = Method::kPooled});
  for (int j = 0; j < 2; ++j)
    EXPECT_EQ(fitted.mixture()->expert(0)[j], plain.mixture()->expert(0)[j]);
}

TEST(FitWithUnits, FitsTheDefaultModelAndStoresItsReport) {
  const Panel panel({.units = 150, .rows = 10, .seed = 13}, spread_of(1));
  const Fitted fitted = fit(panel.log(), {.threads = 2});
  EXPECT_TRUE(fitted.report().deviations.value().supported);
  const Fitted again = model_from_text(model_to_text(fitted), "model");
  EXPECT_EQ(*again.deviations(), *fitted.deviations());
  const DeviationReport& report = again.report().deviations.value();
  EXPECT_EQ(report.tried.size(), fitted.report().deviations->tried.size());
  EXPECT_EQ(report.gain.mean, fitted.report().deviations->gain.mean);
  EXPECT_EQ(report.variation.value().unit, fitted.report().deviations->variation.value().unit);
  EXPECT_EQ(again.roles().unit, "unit");
}

TEST(FitWithUnits, ComparesSettingsByOneDivisionOfTheRows) {
  const Panel panel({.units = 60, .rows = 6, .seed = 16}, spread_of(1));
  const FitOptions options{.estimator = Estimator::kMap, .experts = 2};
  const auto split = [&](bool with_units) {
    return fit(panel.log(with_units), options).report().choice.value().split;
  };
  EXPECT_THAT(split(false), HasSubstr("3 times"));
  EXPECT_THAT(split(true), testing::Not(HasSubstr("times")));
}

TEST(FitWithUnits, KeepsGaussianNoiseApartFromDeviations) {
  const Panel panel(
      {.family = OutputFamily::kGaussian, .units = 300, .rows = 8, .noise = 0.5, .seed = 14},
      spread_of(1));
  const Fitted fitted =
      fit(panel.log(), {.method = Method::kPooled, .family = OutputFamily::kGaussian});
  EXPECT_NEAR(fitted.baseline().noise, 0.5, 0.03);
  ASSERT_NE(fitted.deviations(), nullptr);
  EXPECT_NEAR(fitted.deviations()->covariance.front(), 1, 0.3);
}

TEST(FitWithUnits, GivesTheSameModelForAnyNumberOfThreads) {
  const Panel panel({.units = 120, .rows = 8, .seed = 15}, spread_of(1));
  const auto text = [&](int threads) {
    return model_to_text(fit(panel.log(), {.experts = 2, .threads = threads}));
  };
  const std::string one = text(1);
  EXPECT_EQ(one, text(2));
  EXPECT_EQ(one, text(7));
}

TEST(FitWithUnits, RefusesAGroupThatCutsAUnit) {
  const Panel panel({.units = 30, .rows = 6, .seed = 16}, spread_of(0));
  std::vector<double> groups(panel.num_rows());
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<double>(i % 4);
  EXPECT_THAT(refusal(panel.log(true, groups), {.method = Method::kPooled}),
              HasSubstr("--group group cuts units: rows of unit 'unit 0' are in several groups"));
}

TEST(FitWithUnits, RefusesOptionsThatItCannotFit) {
  const LoggedData log = Panel({.units = 30, .rows = 6, .seed = 17}, spread_of(0)).log();
  EXPECT_THAT(refusal(log, {.method = Method::kLinear}), HasSubstr("--unit cannot be combined"));
  EXPECT_THAT(refusal(log, {.gate = GateChoice::kMlp}), HasSubstr("--unit cannot be combined"));
  EXPECT_THAT(refusal(log, {.estimator = Estimator::kPaper}),
              HasSubstr("--unit cannot be combined"));
  EXPECT_THAT(refusal(log, {.estimator = Estimator::kBayes, .deploy = Deploy::kMean}),
              HasSubstr("--unit cannot be combined with --deploy mean"));
  EXPECT_THAT(refusal(Panel({.units = 1, .rows = 60}, spread_of(0)).log(), {}),
              HasSubstr("unit 'unit' is the same in every row"));
}

}  // namespace
}  // namespace otss::test
