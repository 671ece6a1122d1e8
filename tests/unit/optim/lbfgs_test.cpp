#include "optim/lbfgs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;

class Rosenbrock : public Objective {
 public:
  explicit Rosenbrock(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double value = 0;
    std::fill(g.begin(), g.end(), 0.0);
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      const double a = x[i + 1] - x[i] * x[i];
      const double b = 1 - x[i];
      value += 100 * a * a + b * b;
      g[i] += -400 * a * x[i] - 2 * b;
      g[i + 1] += 200 * a;
    }
    return value;
  }

 private:
  std::size_t size_;
};

// A bowl whose values and gradients have errors that look random, as sums in f32 have.
class Rounded : public Objective {
 public:
  static constexpr double kNoise = 1e-9;
  std::size_t size() const override { return 20; }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double value = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      value += 0.5 * (i + 1.0) * (x[i] - 1) * (x[i] - 1) + kNoise * std::sin(1e12 * x[i]);
      g[i] = (i + 1.0) * (x[i] - 1) + std::sqrt(kNoise) * std::sin(1e13 * x[i]);
    }
    return value;
  }
};

// sum_i c_i (x_i - 1)^2 / 2 with condition number 1e8.
class IllConditioned : public Objective {
 public:
  std::size_t size() const override { return 30; }
  static double curvature(std::size_t i) { return std::pow(10.0, 8.0 * i / 29); }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double value = 1;
    for (std::size_t i = 0; i < size(); ++i) {
      g[i] = curvature(i) * (x[i] - 1);
      value += 0.5 * g[i] * (x[i] - 1);
    }
    return value;
  }
};

// Defined for x > 0 only: x - log x.
class HalfLine : public Objective {
 public:
  std::size_t size() const override { return 1; }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    g[0] = 1 - 1 / x[0];
    return x[0] - std::log(x[0]);
  }
};

class NoisyBowl : public Objective {
 public:
  std::size_t size() const override { return 2; }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    const float value =
        static_cast<float>(1000 + x[0] * x[0] + 3 * x[1] * x[1]);  // rounded like an f32 sum
    g[0] = 2 * x[0];
    g[1] = 6 * x[1];
    return value;
  }
};

TEST(Lbfgs, SolvesRosenbrock) {
  Rosenbrock f(10);
  const std::vector<double> start(10, -1.2);
  const Minimum m = minimize(f, start, {.gradient_tolerance = 1e-9});
  EXPECT_TRUE(m.converged());
  for (const double x : m.x) EXPECT_NEAR(x, 1, 1e-7);
}

TEST(Lbfgs, SaysWhyItStoppedWithTheDecidingNumber) {
  Rosenbrock f(4);
  const std::vector<double> start(4, 0);
  EXPECT_THAT(minimize(f, start, {}).message, HasSubstr("converged: the largest gradient entry"));
  const Minimum cut = minimize(f, start, {.max_evaluations = 5});
  EXPECT_EQ(cut.reason, StopReason::kEvaluations);
  EXPECT_THAT(cut.message, HasSubstr("stopped after 5 evaluations"));
}

TEST(Lbfgs, NeedsFewEvaluationsWithAGoodPreconditioner) {
  IllConditioned f;
  const std::vector<double> start(f.size(), 0);
  LbfgsOptions options{.gradient_tolerance = 1e-6};
  const Minimum plain = minimize(f, start, options);
  options.precondition = [](std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] /= IllConditioned::curvature(i) * (1 + 0.1 * (i % 3));
  };
  const Minimum preconditioned = minimize(f, start, options);
  EXPECT_TRUE(preconditioned.converged());
  EXPECT_LT(preconditioned.evaluations, 12);
  EXPECT_LT(preconditioned.evaluations * 3, plain.evaluations);
}

TEST(Lbfgs, StopsWhenLittleIsLeftToGain) {
  IllConditioned f;
  const std::vector<double> start(f.size(), 0);
  LbfgsOptions options{.gradient_tolerance = 0, .value_tolerance = 1e-6};
  options.precondition = [](std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] /= IllConditioned::curvature(i) * (1 + 0.1 * (i % 3));
  };
  const Minimum m = minimize(f, start, options);
  EXPECT_EQ(m.reason, StopReason::kValue) << m.message;
  EXPECT_NEAR(m.value, 1, 1e-5);
}

TEST(Lbfgs, StepsBackFromWhereTheObjectiveIsNotDefined) {
  HalfLine f;
  const std::vector<double> start{20};
  const Minimum m = minimize(f, start, {.gradient_tolerance = 1e-10});
  EXPECT_NEAR(m.x[0], 1, 1e-6);
}

TEST(Lbfgs, ReportsAnObjectiveThatIsNotFiniteAtTheStart) {
  HalfLine f;
  const std::vector<double> start{-1};
  EXPECT_EQ(minimize(f, start, {}).reason, StopReason::kNotFinite);
}

TEST(Lbfgs, ConvergesThoughRoundingHidesTheDecrease) {
  NoisyBowl f;
  const std::vector<double> start{0.3, -0.2};
  const Minimum m = minimize(f, start, {.gradient_tolerance = 1e-7});
  EXPECT_NEAR(m.x[0], 0, 1e-3);
  EXPECT_NEAR(m.x[1], 0, 1e-3);
}

TEST(Lbfgs, StopsSoonWhereRoundingErrorsHideTheDecrease) {
  Rounded f;
  const std::vector<double> start(f.size(), 0);
  LbfgsOptions options{.gradient_tolerance = 0, .value_tolerance = 1e-14};
  const Minimum exact = minimize(f, start, options);
  options.value_noise = 20 * Rounded::kNoise;
  const Minimum m = minimize(f, start, options);
  EXPECT_LT(m.evaluations, 40);
  EXPECT_LT(2 * m.evaluations, exact.evaluations);
  EXPECT_EQ(m.reason, StopReason::kLineSearch) << m.message;
  EXPECT_NEAR(m.value, 1, 100 * Rounded::kNoise);
}

TEST(Lbfgs, RecordsATraceThatNeverRises) {
  Rosenbrock f(6);
  const std::vector<double> start(6, 0.5);
  const Minimum m = minimize(f, start, {});
  for (std::size_t i = 1; i < m.trace.size(); ++i) {
    EXPECT_LE(m.trace[i].value, m.trace[i - 1].value);
    EXPECT_GT(m.trace[i].evaluations, m.trace[i - 1].evaluations);
  }
}

}  // namespace
}  // namespace otss
