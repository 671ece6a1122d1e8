#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss {
namespace {

using namespace internal;

// A log with one trade-off and known means.
struct PooledWorld {
  static constexpr double kIntercept = 0.3, kSlope = -0.5, kWeight = 0.8;
  OutputFamily family;

  double mean(double x, double z) const {
    return family.mean(kIntercept + kSlope * x + kWeight * z);
  }

  LoggedData log(std::size_t rows, std::uint64_t seed) const {
    Rng rng(seed);
    std::vector<double> x, z, y;
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(rng.normal());
      z.push_back(2 + rng.normal());
      y.push_back(draw(mean(x.back(), z.back()), rng));
    }
    LogExtras extras;
    extras.outcome = family.outcome_kind();
    return make_log({{.name = "x", .numbers = x}}, {{.name = "z", .numbers = z}}, y, extras);
  }

 private:
  double draw(double mean, Rng& rng) const {
    if (family == OutputFamily::kBernoulli) return rng.uniform() < mean ? 1 : 0;
    if (family == OutputFamily::kGaussian) return mean + 2 * rng.normal();
    double count = 0;
    for (double time = -std::log(1 - rng.uniform()); time < mean; ++count)
      time -= std::log(1 - rng.uniform());
    return count;
  }
};

class PredictedMeans : public testing::TestWithParam<OutputFamily> {};

// Intervals of 80 % cover the true mean in 80 % of the logs. With 200 logs the standard error of the
// share is 2.8 %, and the three points of one log are not independent.
TEST_P(PredictedMeans, AreCoveredByTheirIntervals) {
  constexpr int kLogs = 200;
  const PooledWorld world{GetParam()};
  int covered = 0, count = 0;
  for (int seed = 0; seed < kLogs; ++seed) {
    FitOptions options;
    options.method = Method::kPooled;
    options.family = world.family;
    options.threads = 1;
    const Fitted fitted = fit(world.log(600, 1000 + seed), options);
    ASSERT_TRUE(fitted.has_mean_intervals());
    for (const auto& [raw, z] : {std::pair{0.0, 2.0}, std::pair{-1.5, 1.0}, std::pair{1.0, 3.5}}) {
      std::vector<double> x(1);
      fitted.encode({{"x", raw}}, x);
      const std::vector<double> factors{z};
      const Bounds bounds = fitted.mean_interval(x, factors, 0.8);
      const double truth = world.mean(raw, z);
      covered += bounds.lo <= truth && truth <= bounds.hi ? 1 : 0;
      ++count;
      EXPECT_LE(bounds.lo, fitted.mean(x, factors));
      EXPECT_GE(bounds.hi, fitted.mean(x, factors));
    }
  }
  EXPECT_NEAR(static_cast<double>(covered) / count, 0.8, 0.07);
}

INSTANTIATE_TEST_SUITE_P(Families, PredictedMeans,
                         testing::Values(OutputFamily::kBernoulli, OutputFamily::kGaussian,
                                         OutputFamily::kPoisson),
                         [](const auto& family) { return family.param.name(); });

}  // namespace
}  // namespace otss
