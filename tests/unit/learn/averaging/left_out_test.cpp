#include "learn/averaging/left_out.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/mixture_row.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/problem/spectral_start.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

// Fits again without a row, and compares its predictor with the one that needs no fit.
TEST(LeftOut, IsWhatAFitWithoutTheRowPredicts) {
  const Problem problem = test::problem_of(test::two_trade_offs(300, 0.5, 7));
  const Penalty penalty{.gate = 8, .expert = 8};
  const MixtureLayout layout = problem.layout(2);
  const PooledFit pooled = fit_pooled(problem, 1);
  const FitEffort precise{1, true};
  const std::vector<double> start = SpectralStart(problem, pooled.fit.theta).start(2);
  const Member fit{1, layout, fit_mixture(problem, penalty, layout, start, precise).theta, penalty};
  const std::vector<double> left_out = predictors_left_out(problem, fit, 1);
  const std::vector<double> again = predictors_left_out(problem, fit, 2);
  EXPECT_EQ(left_out, again);  // for any number of threads
  const auto eta_at = [&](std::span<const double> theta, std::size_t i) {
    MixtureRow row(layout, theta);
    row.evaluate(problem.features->tile(i / kTileRows) + i % kTileRows);
    return row.eta();
  };
  double moved = 0, missed = 0;
  for (std::size_t row = 0; row < problem.num_rows(); row += 20) {
    const Problem others = problem.restricted_to([&](std::size_t i) { return i != row; });
    const MixtureFit without = fit_mixture(others, penalty, layout, fit.theta, precise);
    const double exact = eta_at(without.theta, row);
    moved += std::abs(exact - eta_at(fit.theta, row));
    missed += std::abs(exact - left_out[row]);
  }
  EXPECT_LT(missed, 0.2 * moved);
}

TEST(LeftOut, AveragesByWeight) {
  const Problem problem = test::problem_of(test::two_trade_offs(200, 0.5, 3));
  const PooledFit pooled = fit_pooled(problem, 1);
  const Member all{1, pooled.fit.layout, pooled.fit.theta, pooled.penalty};
  Member part = all, rest = all;
  part.weight = 0.25;
  rest.weight = 0.75;
  const std::vector<double> one = average_left_out(problem, std::vector{all}, 1);
  const std::vector<double> two = average_left_out(problem, std::vector{part, rest}, 2);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(two[i], one[i], 1e-12);
}

}  // namespace
}  // namespace otss
