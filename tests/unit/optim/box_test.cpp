#include "optim/box.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "optim/lbfgs.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::HasSubstr;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// (x - c)' A (x - c) / 2, A positive definite with correlated entries; counts points outside the
// box.
class Quadratic : public Objective {
 public:
  Quadratic(std::size_t size, unsigned seed, const Box& box) : box_(box), center_(size) {
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<std::vector<double>> root(size, std::vector<double>(size));
    for (auto& row : root)
      for (double& value : row) value = normal(engine);
    for (double& value : center_) value = normal(engine);
    matrix_.assign(size, std::vector<double>(size, 0.0));
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        for (std::size_t k = 0; k < size; ++k) matrix_[i][j] += root[i][k] * root[j][k];
      }
      matrix_[i][i] += 0.1 * static_cast<double>(size);
    }
  }

  std::size_t size() const override { return center_.size(); }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    double value = 1;
    for (std::size_t i = 0; i < size(); ++i) {
      g[i] = slope(x, i);
      value += 0.5 * g[i] * (x[i] - center_[i]);
      if (!box_.empty() && (x[i] < box_.lower[i] || x[i] > box_.upper[i])) ++outside_;
    }
    return value;
  }

  double slope(std::span<const double> x, std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j < size(); ++j) sum += matrix_[i][j] * (x[j] - center_[j]);
    return sum;
  }

  // Another method for the same minimum: one entry after the other, to rounding.
  std::vector<double> by_coordinate_descent() const {
    std::vector<double> x(size(), 0.0);
    box_.project(x);
    for (int round = 0; round < 1000; ++round) {
      for (std::size_t i = 0; i < size(); ++i) {
        x[i] -= slope(x, i) / matrix_[i][i];
        if (!box_.empty()) x[i] = std::clamp(x[i], box_.lower[i], box_.upper[i]);
      }
    }
    return x;
  }

  int outside() const { return outside_; }
  double diagonal(std::size_t i) const { return matrix_[i][i]; }

 private:
  Box box_;
  std::vector<double> center_;
  std::vector<std::vector<double>> matrix_;
  int outside_ = 0;
};

// Bounds of all kinds: two sides, one side, none, and an entry that cannot move.
Box mixed_box(std::size_t size) {
  Box box{std::vector<double>(size, -kInfinity), std::vector<double>(size, kInfinity)};
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 5 == 0) box.lower[i] = 0;
    if (i % 5 == 1) box.upper[i] = 0;
    if (i % 5 == 2) box.lower[i] = -0.2, box.upper[i] = 0.3;
    if (i % 5 == 3) box.lower[i] = box.upper[i] = 0.1;
  }
  return box;
}

void expect_first_order_conditions(const Minimum& m, const Box& box, double tolerance) {
  for (std::size_t i = 0; i < m.x.size(); ++i) {
    ASSERT_GE(m.x[i], box.lower[i]);
    ASSERT_LE(m.x[i], box.upper[i]);
    // At a lower bound the multiplier is the gradient and not negative, at an upper one its
    // negative.
    if (m.x[i] > box.lower[i]) {
      EXPECT_LE(m.gradient[i], tolerance) << "entry " << i;
    }
    if (m.x[i] < box.upper[i]) {
      EXPECT_GE(m.gradient[i], -tolerance) << "entry " << i;
    }
  }
}

TEST(Box, MinimaSatisfyTheFirstOrderConditions) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Box box = mixed_box(12);
    Quadratic f(12, seed, box);
    const std::vector<double> start(12, 0.5);
    const Minimum m = minimize(f, start, {.gradient_tolerance = 1e-9, .box = box});
    EXPECT_EQ(m.reason, StopReason::kGradient) << m.message;
    EXPECT_LT(m.evaluations, 120) << "seed " << seed;
    EXPECT_EQ(f.outside(), 0);
    expect_first_order_conditions(m, box, 1e-7);
    const std::vector<double> reference = f.by_coordinate_descent();
    for (std::size_t i = 0; i < m.x.size(); ++i) EXPECT_NEAR(m.x[i], reference[i], 1e-7);
  }
}

TEST(Box, PreconditionersMayKnowNothingOfTheBounds) {
  const Box box = mixed_box(12);
  Quadratic f(12, 7, box);
  const std::vector<double> start(12, 0.0);
  LbfgsOptions options{.gradient_tolerance = 1e-9, .box = box};
  options.precondition = [&f](std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] /= f.diagonal(i);
  };
  const Minimum m = minimize(f, start, options);
  EXPECT_TRUE(m.converged()) << m.message;
  expect_first_order_conditions(m, box, 1e-7);
}

TEST(Box, BoundsThatDoNotBindChangeNothing) {
  const Box wide{std::vector<double>(9, -100.0), std::vector<double>(9, 100.0)};
  Quadratic f(9, 3, wide);
  const std::vector<double> start(9, 0.0);
  const Minimum free = minimize(f, start, {.gradient_tolerance = 1e-10});
  const Minimum boxed = minimize(f, start, {.gradient_tolerance = 1e-10, .box = wide});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(free.x[i], boxed.x[i], 1e-8);
  EXPECT_NEAR(free.value, boxed.value, 1e-12);
}

// 100 (y - x²)² + (1 - x)²: its valley bends, so the bound is met at an angle.
class Valley : public Objective {
 public:
  std::size_t size() const override { return 2; }
  double evaluate(std::span<const double> x, std::span<double> g) override {
    const double a = x[1] - x[0] * x[0], b = 1 - x[0];
    g[0] = -400 * a * x[0] - 2 * b;
    g[1] = 200 * a;
    return 100 * a * a + b * b;
  }
};

TEST(Box, FollowsACurvedValleyToItsBound) {
  Valley f;
  const Box box{{-2, -2}, {0.5, 2}};
  for (const std::vector<double>& start :
       {std::vector<double>{-1.2, 1}, {0.5, -2}, {-2, -2}, {9, 9}}) {
    const Minimum m = minimize(f, start, {.gradient_tolerance = 1e-8, .box = box});
    EXPECT_TRUE(m.converged()) << m.message;
    EXPECT_EQ(m.x[0], 0.5);
    EXPECT_NEAR(m.x[1], 0.25, 1e-8);
    EXPECT_LT(m.gradient[0], 0);  // it would go on if it could
  }
}

TEST(Box, SaysWhyItStoppedAndHowManyBoundsHoldIt) {
  Valley f;
  const std::vector<double> start{0, 0};
  const Box box{{-2, -2}, {0.5, 2}};
  EXPECT_THAT(minimize(f, start, {.box = box}).message, HasSubstr("1 bound active"));
  const Minimum cut = minimize(f, start, {.max_evaluations = 4, .box = box});
  EXPECT_EQ(cut.reason, StopReason::kEvaluations);
  EXPECT_LE(cut.evaluations, 5);
}

TEST(Box, AStartOutsideIsProjectedFirst) {
  const Box corner{{1, 1}, {2, 2}};
  Quadratic f(2, 5, corner);
  const std::vector<double> start{-50, 50};
  const Minimum m = minimize(f, start, {.max_evaluations = 1, .box = corner});
  EXPECT_EQ(m.x[0], 1);
  EXPECT_EQ(m.x[1], 2);
  EXPECT_EQ(f.outside(), 0);
}

TEST(Box, ValuesNeverRise) {
  const Box box = mixed_box(20);
  Quadratic f(20, 11, box);
  const std::vector<double> start(20, 1.0);
  const Minimum m = minimize(f, start, {.box = box});
  for (std::size_t i = 1; i < m.trace.size(); ++i)
    EXPECT_LE(m.trace[i].value, m.trace[i - 1].value * (1 + 1e-12));
}

}  // namespace
}  // namespace otss
