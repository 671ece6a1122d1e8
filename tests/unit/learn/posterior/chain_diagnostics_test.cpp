#include "learn/posterior/chain_diagnostics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace otss {
namespace {

using namespace internal;

// x_t = rho x_{t-1} + noise, with unit variance.
std::vector<double> autoregression(double rho, double mean, int length, std::uint64_t stream) {
  Rng rng(5, stream);
  std::vector<double> chain;
  double x = rng.normal();
  for (int t = 0; t < length; ++t) {
    x = rho * x + std::sqrt(1 - rho * rho) * rng.normal();
    chain.push_back(mean + x);
  }
  return chain;
}

TEST(Mixing, OfIndependentDrawsIsPerfect) {
  const Mixing m = mixing({autoregression(0, 3, 2000, 1), autoregression(0, 3, 2000, 2)});
  EXPECT_NEAR(m.r_hat, 1, 0.01);
  EXPECT_NEAR(m.effective_sample, 4000, 800);
}

TEST(Mixing, CountsAutocorrelatedDrawsForLess) {
  // An autoregression is worth (1 - rho) / (1 + rho) of its length.
  const Mixing m = mixing({autoregression(0.8, 0, 10'000, 1), autoregression(0.8, 0, 10'000, 2)});
  EXPECT_NEAR(m.effective_sample, 20'000 / 9.0, 0.2 * 20'000 / 9.0);
}

TEST(Mixing, IsPoorWhenChainsDisagree) {
  // Means one standard deviation either side of 0: total variance 1 + 4/3 (between four halves) in
  // units of the within.
  const Mixing m = mixing({autoregression(0, -1, 1000, 1), autoregression(0, 1, 1000, 2)});
  EXPECT_NEAR(m.r_hat, std::sqrt(1 + 4.0 / 3), 0.1);
  EXPECT_LT(m.effective_sample, 20);
}

TEST(Mixing, IsPoorWhenAChainDrifts) {
  std::vector<double> chain = autoregression(0, 0, 1000, 1);
  for (std::size_t t = 0; t < chain.size(); ++t) chain[t] += 0.005 * static_cast<double>(t);
  EXPECT_GT(mixing({chain}).r_hat, 1.5);
}

TEST(Mixing, OfAConstantIsPerfect) { EXPECT_EQ(mixing({std::vector<double>(10, 2.0)}).r_hat, 1); }

}  // namespace
}  // namespace otss
