#include "optim/line_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace otss {
namespace {

using namespace internal;

struct LineFunction {
  const char* name;
  std::function<double(double)> value, slope;

  LinePoint operator()(double step) const { return {step, value(step), slope(step)}; }
};

// "rational" and "steep power" are from Moré & Thuente (1994), section 5.
const LineFunction kFunctions[] = {
    {"bowl", [](double t) { return (t - 3) * (t - 3); }, [](double t) { return 2 * (t - 3); }},
    {"rational", [](double t) { return -t / (t * t + 2); },
     [](double t) { return (t * t - 2) / ((t * t + 2) * (t * t + 2)); }},
    {"steep power", [](double t) { return std::pow(t + 0.004, 5) - 2 * std::pow(t + 0.004, 4); },
     [](double t) { return 5 * std::pow(t + 0.004, 4) - 8 * std::pow(t + 0.004, 3); }},
    {"defined below 2 only", [](double t) { return -std::log(2 - t) - 3 * t; },
     [](double t) { return 1 / (2 - t) - 3; }},
};

bool strong_wolfe(const LinePoint& p, const LinePoint& origin, const LineSearchOptions& options) {
  return p.value <= origin.value + options.sufficient_decrease * p.step * origin.slope &&
         std::abs(p.slope) <= -options.curvature * origin.slope;
}

// Equation (4.1) of Hager & Zhang (2005).
bool approximate_wolfe(const LinePoint& p, const LinePoint& origin,
                       const LineSearchOptions& options) {
  return p.value <= origin.value && p.slope >= options.curvature * origin.slope &&
         p.slope <= (2 * options.sufficient_decrease - 1) * origin.slope;
}

TEST(LineSearch, FindsAWolfePointFromAnyFirstStep) {
  for (const LineFunction& f : kFunctions) {
    const LinePoint origin = f(0);
    ASSERT_LT(origin.slope, 0) << f.name;
    for (const double first_step : {1e-4, 0.1, 1.0, 10.0, 1e4}) {
      for (const double curvature : {0.9, 0.1}) {
        const LineSearchOptions options{
            .curvature = curvature, .value_noise = 0, .max_evaluations = 60};
        const auto [point, success] = line_search(f, origin, first_step, options);
        EXPECT_TRUE(success) << f.name << " from " << first_step;
        EXPECT_GT(point.step, 0);
        EXPECT_EQ(point.value, f.value(point.step));
        EXPECT_TRUE(strong_wolfe(point, origin, options) ||
                    approximate_wolfe(point, origin, options))
            << f.name << " from " << first_step << ": step " << point.step;
      }
    }
  }
}

TEST(LineSearch, TakesAGoodFirstStepAtOnce) {
  int evaluations = 0;
  const auto bowl = [&](double step) {
    ++evaluations;
    return kFunctions[0](step);
  };
  const LineSearchResult found = line_search(bowl, kFunctions[0](0), 3, {});
  EXPECT_TRUE(found.success);
  EXPECT_EQ(found.point.step, 3);
  EXPECT_EQ(evaluations, 1);
}

TEST(LineSearch, AcceptsAStepWhoseDecreaseRoundingHides) {
  // One decrease of 1e-8 on a value of 1e6 that is only known to 0.1.
  const auto noisy = [](double t) -> LinePoint { return {t, 1e6, 2e-8 * (t - 1)}; };
  const LineSearchResult found = line_search(noisy, noisy(0), 1, {.value_noise = 1e-7});
  EXPECT_TRUE(found.success);
  EXPECT_EQ(found.point.step, 1);
}

TEST(LineSearch, KeepsAPlainDecreaseWhenTheBudgetEnds) {
  // No point of a falling line meets the curvature condition.
  int evaluations = 0;
  const auto line = [&](double t) -> LinePoint {
    ++evaluations;
    return {t, -t, -1};
  };
  const LineSearchResult found = line_search(line, {0, 0, -1}, 1, {.max_evaluations = 5});
  EXPECT_TRUE(found.success);
  EXPECT_EQ(evaluations, 5);
  EXPECT_EQ(found.point.step, 256);  // four times as far each time
}

TEST(LineSearch, FailsAtTheOriginWhereNothingDecreases) {
  // A slope that promises a decrease that never comes: a wrong gradient.
  const auto rising = [](double t) -> LinePoint { return {t, t, -1}; };
  const LineSearchResult found = line_search(rising, {0, 0, -1}, 1, {});
  EXPECT_FALSE(found.success);
  EXPECT_EQ(found.point.step, 0);
}

TEST(LineSearch, FailsAtTheOriginWhereNothingIsDefined) {
  int evaluations = 0;
  const auto nowhere = [&](double t) -> LinePoint {
    ++evaluations;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {t, nan, nan};
  };
  const LineSearchResult found = line_search(nowhere, {0, 1, -1}, 1, {.max_evaluations = 7});
  EXPECT_FALSE(found.success);
  EXPECT_EQ(found.point.step, 0);
  EXPECT_EQ(evaluations, 7);
}

TEST(LineSearch, StepsBackFromAnInfiniteValueWithAFiniteSlope) {
  const auto wall = [](double t) -> LinePoint {
    return {t, t > 1 ? std::numeric_limits<double>::infinity() : (t - 0.5) * (t - 0.5),
            2 * (t - 0.5)};
  };
  const LineSearchResult found = line_search(wall, wall(0), 100, {});
  EXPECT_TRUE(found.success);
  EXPECT_LT(found.point.step, 1);
}

}  // namespace
}  // namespace otss
