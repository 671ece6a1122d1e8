#include "engine/cpu/isa/vector_math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace otss {
namespace {

using namespace internal;

// Distance in units of the last place of the exact result, rounded to Real.
template <class Real>
double ulps(Real ours, long double exact) {
  const Real rounded = static_cast<Real>(exact);
  const Real ulp = std::nextafter(rounded, std::numeric_limits<Real>::infinity()) - rounded;
  return static_cast<double>(std::abs(ours - exact) / ulp);
}

template <class Real>
double worst_exp_error(Real lowest) {
  double worst = 0;
  for (int i = 0; i <= 500'000; ++i) {
    const Real x = lowest * static_cast<Real>(i) / 500'000;
    const Real ours = exp_of_nonpositive<Real>(broadcast(x))[0];
    worst = std::max(worst, ulps(ours, std::exp(static_cast<long double>(x))));
  }
  return worst;
}

template <class Real>
double worst_log_error() {
  // In units of the type's epsilon, absolute below 1: that is what a sum of logarithms feels.
  double worst = 0;
  for (Real x = 1; x < Real(1e30); x *= Real(1.0001)) {
    const long double exact = std::log(static_cast<long double>(x));
    const Real ours = log_of_at_least_one<Real>(broadcast(x))[0];
    const long double scale =
        std::max<long double>(1, exact) * std::numeric_limits<Real>::epsilon();
    worst = std::max(worst, static_cast<double>(std::abs(ours - exact) / scale));
  }
  return worst;
}

TEST(VectorExp, IsAccurateToTwoUlps) {
  EXPECT_LE(worst_exp_error<float>(-87), 2);
  EXPECT_LE(worst_exp_error<float>(-1), 2);
  EXPECT_LE(worst_exp_error<double>(-708), 2);
  EXPECT_LE(worst_exp_error<double>(-1), 2);
}

TEST(VectorExp, OfZeroIsOne) {
  EXPECT_EQ(exp_of_nonpositive<float>(broadcast(0.0F))[0], 1.0F);
  EXPECT_EQ(exp_of_nonpositive<double>(broadcast(0.0))[0], 1.0);
}

TEST(VectorExp, NeitherOverflowsNorVanishesFarBelowItsRange) {
  for (const float x : {-88.0F, -1e4F, -1e30F, -HUGE_VALF}) {
    const float ours = exp_of_nonpositive<float>(broadcast(x))[0];
    EXPECT_GE(ours, 0.0F);
    EXPECT_LT(ours, 1e-37F);
  }
  for (const double x : {-709.0, -1e4, -1e300, -HUGE_VAL}) {
    const double ours = exp_of_nonpositive<double>(broadcast(x))[0];
    EXPECT_GE(ours, 0.0);
    EXPECT_LT(ours, 1e-307);
  }
}

TEST(VectorExp, KeepsANan) {
  EXPECT_TRUE(std::isnan(exp_of_nonpositive<float>(broadcast(std::nanf("")))[0]));
  EXPECT_TRUE(std::isnan(exp_of_nonpositive<double>(broadcast(std::nan("")))[0]));
}

TEST(VectorLog, IsAccurateToTwoEpsilons) {
  EXPECT_LE(worst_log_error<float>(), 2);
  EXPECT_LE(worst_log_error<double>(), 2);
}

}  // namespace
}  // namespace otss
