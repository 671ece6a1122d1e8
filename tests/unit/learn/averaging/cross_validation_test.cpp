#include "learn/averaging/cross_validation.hpp"

#include <gtest/gtest.h>

#include "learn/averaging/continued_fit.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

class HeldOutStarts : public testing::Test {
 protected:
  HeldOutStarts() {
    for (std::size_t i = 0; i < problem.num_rows(); ++i)
      folds.of_row[i] = i % 3 == 0 ? 0 : Folds::kNeverHeldOut;
  }

  // Fits the pooled model and a mixture of two experts from three starts.
  HeldOut predicted(const KnownStarts& known) const {
    const Penalty penalty{.gate = 5, .expert = 4};
    return predict_held_out(problem, folds, {{1, penalty}, {2, penalty}},
                            {.starts = 3, .known = known}, {});
  }

  Problem problem = test::problem_of(test::two_trade_offs(600, 0.5, 7));
  Folds folds{1, std::vector<std::uint8_t>(problem.num_rows())};
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST_F(HeldOutStarts, AreComparedOnTheGivenRows) {
  const Problem training = subsample(folds.training(problem, 0), problem.num_rows());
  const HeldOut plain = predicted({});
  // The training rows themselves: the fit continues from the optimum that it has already found.
  const HeldOut same = predicted({.compared_on = &training});
  EXPECT_EQ(same.starts.tried, 3);
  EXPECT_EQ(same.starts.agreeing, plain.starts.agreeing);
  expect_near(same.eta[1], plain.eta[1], 0.02);
  // Fewer rows: other fits, from which the fit to all training rows starts.
  const Problem few = subsample(training, 150);
  const HeldOut from_few = predicted({.compared_on = &few});
  EXPECT_EQ(from_few.starts.tried, 3);
  EXPECT_NE(from_few.eta, plain.eta);
  EXPECT_EQ(from_few.eta.front(), plain.eta.front());  // the pooled model
}

TEST_F(HeldOutStarts, OfFewerRowsAreContinuedToTheOptimum) {
  const Setting setting{2, {.gate = 5, .expert = 4}};
  const MixtureLayout layout = problem.layout(2);
  const Problem few = subsample(problem, 300);
  const std::vector<double> start = predicted({}).thetas[1].front();
  const std::vector<double> near =
      fit_mixture(few, setting.penalty, layout, start, {1, false}).theta;
  const MixtureFit exact = fit_mixture(problem, setting.penalty, layout, near, {1, true});
  const MixtureFit continued = continued_fit(problem, setting, near, {1, false});
  EXPECT_NEAR(continued.objective, exact.objective, 1e-5);
  EXPECT_LE(continued.evaluations, 60);
}

TEST_F(HeldOutStarts, ThatWereChosenBeforeAreNotComparedAgain) {
  const HeldOut plain = predicted({});
  const HeldOut again = predicted({.chosen = {{2, plain.thetas[1].front()}}});
  EXPECT_EQ(plain.starts.tried, 3);
  EXPECT_EQ(again.starts.tried, 0);
}

}  // namespace
}  // namespace otss
