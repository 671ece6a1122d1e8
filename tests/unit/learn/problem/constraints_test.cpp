#include "learn/problem/constraints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "learn/mixture/mixture_objective.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/problem/spectral_start.hpp"
#include "otss/base/error.hpp"
#include "otss/learn/fit.hpp"
#include "unit/learn/family_logs.hpp"

namespace otss::test {

using namespace internal;

namespace {

using testing::HasSubstr;

Encoder three_factors() {
  Encoder encoder;
  encoder.factors = {{"price", 0, 2}, {"health", 0, 1}, {"a,b", 0, 1}};
  return encoder;
}

std::string refusal(const std::string& sign, const std::string& bounds) {
  try {
    parse_bounds(sign, bounds, three_factors());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    return error.what();
  }
  return "accepted";
}

TEST(Constraints, SignsAndBoundsMeetInOneBox) {
  const Box box = parse_bounds("price=-", "price=-3:1,health=:0.5,\"a,b\"=2:2", three_factors());
  constexpr double kNone = std::numeric_limits<double>::infinity();
  EXPECT_EQ(box.lower, (std::vector<double>{-3, -kNone, 2}));
  EXPECT_EQ(box.upper, (std::vector<double>{0, 0.5, 2}));
  EXPECT_TRUE(parse_bounds("", "", three_factors()).empty());
}

TEST(Constraints, StandardisedBoundsAreScaledLikeTheWeights) {
  const Box own = parse_bounds("", "price=-3:1", three_factors());
  const WeightBounds bounds = weight_bounds(own, three_factors(), {.center = 7, .scale = 4});
  EXPECT_EQ(bounds.standardised.lower[0], -3 * 2.0 / 4);
  EXPECT_EQ(bounds.standardised.upper[0], 1 * 2.0 / 4);
  EXPECT_EQ(bounds.own_units.lower[0], -3);
}

TEST(Constraints, RefusesBoundsThatNoWeightCanHave) {
  const auto complaint = [](const char* bounds) -> std::string {
    try {
      weight_bounds(parse_bounds("", bounds, three_factors()), three_factors(), {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("price=1e308:"),
              testing::HasSubstr("--bounds: the weight of factor 'price'"));
  EXPECT_THAT(complaint("price=:-1e308"), testing::HasSubstr("per standard deviation"));
  EXPECT_EQ(complaint("price=:1e308"), "") << "a bound that never binds";
}

TEST(Constraints, RefusesWhatCannotBeReadOrMet) {
  EXPECT_THAT(refusal("prise=+", ""), HasSubstr("no factor 'prise'; did you mean 'price'?"));
  EXPECT_THAT(refusal("", "prise=0:1"), HasSubstr("did you mean 'price'?"));
  EXPECT_THAT(refusal("price=+,price=-", ""), HasSubstr("'price' is given twice"));
  EXPECT_THAT(refusal("", "price=2:1"), HasSubstr("the lower bound is above the upper bound"));
  EXPECT_THAT(refusal("price=+", "price=:-1"), HasSubstr("contradict each other"));
  for (const char* sign : {"price", "price=", "price=1", "=+", "price=+,", ","})
    EXPECT_THAT(refusal(sign, ""), HasSubstr("; write FACTOR=+ or FACTOR=-")) << sign;
  for (const char* bounds : {"price=1", "price=:", "price=a:b", "price=0:1:2", "price=nan:1",
                             "price=0:inf", "price", "price=0:1x"})
    EXPECT_THAT(refusal("", bounds), HasSubstr("; write FACTOR=LO:HI")) << bounds;
}

class ConstrainedFamily : public testing::TestWithParam<OutputFamily::Kind> {};

TEST_P(ConstrainedFamily, MixturesMeetTheFirstOrderConditions) {
  const OutputFamily family = GetParam();
  const LoggedData log = FamilyLog(family, 800, 71).log();
  const Problem problem =
      whole_problem(log, family, {}, parse_bounds("z1=+", "z2=:0.1,z3=0.3:0.4", log.encoder()));
  const MixtureLayout layout = problem.layout(2);
  const Box box = problem.box(layout);
  const PooledFit pooled = fit_pooled(problem, 1);
  const Penalty penalty;
  const MixtureFit fit =
      fit_mixture(problem, penalty, layout, SpectralStart(problem, pooled.fit.theta).start(2), {});
  EXPECT_TRUE(fit.converged) << fit.message;
  const auto engine = make_engine(problem, 2, 1);
  MixtureObjective objective(*engine, penalty, Precision::kDouble);
  std::vector<double> gradient(layout.size());
  objective.evaluate(fit.theta, gradient);
  EXPECT_GT(box.num_active(fit.theta), 0);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    ASSERT_GE(fit.theta[i], box.lower[i]);
    ASSERT_LE(fit.theta[i], box.upper[i]);
    if (fit.theta[i] > box.lower[i]) {
      EXPECT_LT(gradient[i], 1e-5) << "entry " << i;
    }
    if (fit.theta[i] < box.upper[i]) {
      EXPECT_GT(gradient[i], -1e-5) << "entry " << i;
    }
  }
}

TEST_P(ConstrainedFamily, EveryExpertOfAWholeFitObeys) {
  const OutputFamily family = GetParam();
  const LoggedData log = FamilyLog(family, 600, 72).log();
  for (const Method method : {Method::kOtss, Method::kPooled}) {
    FitOptions options{.method = method, .family = family, .threads = 1};
    options.sign = "z1=+";
    options.bounds = "z2=0.17:0.3,z3=:-0.05";
    const Fitted fitted = fit(log, options);
    for (int k = 0; k < fitted.mixture()->num_experts(); ++k) {
      const auto expert = fitted.mixture()->expert(k);
      EXPECT_GE(expert[0], 0);
      EXPECT_GE(expert[1], 0.17);
      EXPECT_LE(expert[1], 0.3);
      EXPECT_LE(expert[2], -0.05);
    }
    EXPECT_EQ(fitted.report().options.at("bounds"), ReportValue(options.bounds));
  }
}

TEST_P(ConstrainedFamily, BoundsThatDoNotBindChangeNothing) {
  const OutputFamily family = GetParam();
  const LoggedData log = FamilyLog(family, 500, 73).log();
  FitOptions options{.method = Method::kPooled, .family = family, .threads = 1};
  const Fitted free = fit(log, options);
  options.bounds = "z1=-50:50,z2=-50:50";
  const Fitted bounded = fit(log, options);
  for (int j = 0; j < FamilyLog::kFactors; ++j)
    EXPECT_NEAR(free.mixture()->expert(0)[j], bounded.mixture()->expert(0)[j], 1e-5);
}

INSTANTIATE_TEST_SUITE_P(All, ConstrainedFamily,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson),
                         [](const auto& family) { return OutputFamily(family.param).name(); });

TEST(Constraints, AreRefusedWhereThePosteriorIsSampled) {
  const LoggedData log = FamilyLog(OutputFamily::kBernoulli, 200, 74).log();
  FitOptions options{.estimator = Estimator::kBayes};
  options.sign = "z1=+";
  try {
    fit(log, options);
    FAIL() << "fitted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("use --estimator map"));
  }
}

}  // namespace
}  // namespace otss::test
