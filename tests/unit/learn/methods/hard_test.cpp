#include "learn/methods/hard.hpp"

#include <gtest/gtest.h>

#include "learn/methods/routing/sharp_objective.hpp"
#include "unit/learn/gradient_check.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// 1/2 |theta - (1, 2, …)|^2
class Bowl final : public Objective {
 public:
  explicit Bowl(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  double evaluate(std::span<const double> theta, std::span<double> gradient) override {
    double value = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      gradient[i] = theta[i] - static_cast<double>(i + 1);
      value += 0.5 * gradient[i] * gradient[i];
    }
    return value;
  }

 private:
  std::size_t size_;
};

TEST(SharpObjective, GradientEqualsFiniteDifferences) {
  const MixtureLayout layout{2, 2, 3};
  Bowl bowl(layout.size());
  SharpObjective sharp(bowl, layout, 4);
  Rng rng(1);
  const std::vector<double> theta = test::normals(rng, static_cast<int>(layout.size()));
  std::vector<double> gradient(theta.size());
  std::vector<double> unused(theta.size());
  sharp.evaluate(theta, gradient);
  const auto expected = finite_differences(
      [&](const std::vector<double>& point) { return sharp.evaluate(point, unused); }, theta);
  for (std::size_t i = 0; i < theta.size(); ++i)
    EXPECT_NEAR(gradient[i], expected[i], 1e-6) << "entry " << i;
}

TEST(SharpObjective, DoesNotDependOnTheLengthOfTheGate) {
  const MixtureLayout layout{2, 2, 3};
  Bowl bowl(layout.size());
  SharpObjective sharp(bowl, layout, 4);
  Rng rng(2);
  std::vector<double> theta = test::normals(rng, static_cast<int>(layout.size()));
  std::vector<double> gradient(theta.size());
  const double before = sharp.evaluate(theta, gradient);
  for (std::size_t i = 0; i < layout.baseline(); ++i) theta[i] *= 8;
  EXPECT_NEAR(sharp.evaluate(theta, gradient), before, 1e-9 * before);
}

TEST(Hard, RecoversAHardGatedTruth) {
  const auto method = make_hard({.experts = 2});
  const Problem problem = test::problem_of(test::two_trade_offs(6000, 0, 15));
  const StandardisedModel model = test::fit_setting(*method, problem, 2);
  const std::vector<double> right = test::weights_at(model, {0.3, 0});
  const std::vector<double> left = test::weights_at(model, {-0.3, 0});
  // 3000 rows each; the boundary is found to within a few rows.
  EXPECT_NEAR(right[0], 2, 0.3);
  EXPECT_NEAR(right[1], -1, 0.3);
  EXPECT_NEAR(left[0], -2, 0.3);
  EXPECT_NEAR(left[1], 1, 0.3);
  EXPECT_EQ(mixture_of(model).gate_kind(), GateKind::kOneHot);
}

TEST(Hard, DoesNotDependOnTheNumberOfThreads) {
  const Problem problem = test::problem_of(test::two_trade_offs(1000, 0.5, 16));
  const auto method = make_hard({.experts = 3});
  const StandardisedModel one = test::fit_setting(*method, problem, 1, 1);
  const StandardisedModel three = test::fit_setting(*method, problem, 1, 3);
  EXPECT_EQ(test::weights_at(one, {0.3, 0.4}), test::weights_at(three, {0.3, 0.4}));
}

TEST(Hard, WithOneExpertRoutesEverybodyToIt) {
  const Problem problem = test::problem_of(test::two_trade_offs(300, 0.5, 17));
  const StandardisedModel model = test::fit_setting(*make_hard({.experts = 1}), problem, 0);
  EXPECT_EQ(test::weights_at(model, {3, 0}), test::weights_at(model, {-3, 0}));
}

}  // namespace
}  // namespace otss
