// Fits to rows that are stored in f16 as a GPU stores them, computed by the processor: how far the weights
// move. On a GPU only the rounding of sums is different.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/half/corrected_engine.hpp"
#include "engine/half/half_rows.hpp"
#include "engine/half/rounding_shift.hpp"
#include "learn/mixture/mixture_fit.hpp"
#include "learn/mixture/mixture_objective.hpp"
#include "unit/learn/small_problem.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kContexts = 4, kFactors = 3, kExperts = 2, kThreads = 2;
constexpr std::size_t kRows = 200'000;

// Draws the raw value of a column.
using Draw = std::function<double(Rng&)>;

std::vector<double> standardised(std::size_t count, Rng& rng, const Draw& draw) {
  std::vector<double> values(count);
  for (double& value : values) value = draw(rng);
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(count);
  for (const double value : values) square += (value - mean) * (value - mean);
  const double deviation = std::sqrt(square / static_cast<double>(count));
  for (double& value : values) value = (value - mean) / deviation;
  return values;
}

// Rows of a mixture with two experts, whose first context and first factor are made by `draw`.
Problem mixture_of(const Draw& draw) {
  Rng rng(8);
  const auto features = std::make_shared<TileMatrix>(kRows, kContexts + kFactors);
  for (int c = 0; c < kContexts + kFactors; ++c) {
    const bool special = c == 0 || c == kContexts;
    const auto column = standardised(
        kRows, rng, special ? draw : [](Rng& own) { return own.normal(); });
    for (std::size_t row = 0; row < kRows; ++row)
      features->at(row, c) = static_cast<float>(column[row]);
  }
  std::vector<float> outcomes(kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto x = [&](int c) { return static_cast<double>(features->at(row, c)); };
    const double share = test::logistic(x(0) + x(1));
    const double eta = 0.5 * x(2) + share * (x(4) + x(5)) + (1 - share) * (x(6) - 0.5 * x(4));
    outcomes[row] = rng.uniform() < test::logistic(eta) ? 1.0F : 0.0F;
  }
  return {.features = features, .num_contexts = kContexts, .rows = SignedWeights(outcomes)};
}

Problem in_half(Problem problem) {
  problem.features = std::make_shared<const TileMatrix>(rounded_to_half(*problem.features));
  return problem;
}

std::vector<double> start() {
  const MixtureLayout layout{kContexts, kFactors, kExperts};
  std::vector<double> theta(layout.size());
  theta[0] = theta[1] = 1;
  theta[layout.expert(0)] = theta[layout.expert(0) + 1] = theta[layout.expert(1) + 2] = 1;
  return theta;
}

std::vector<double> fitted(const Engine& engine, const Problem& sample) {
  return finish_fit(engine, sample, Penalty{}, start(), {kThreads, true, kFinalGain}).theta;
}

struct Shifts {
  // The largest shift that any linear function of the parameters has, in its standard errors: the length
  // of the difference in the metric of the curvature.
  double corrected;
  double expected;  // the largest of rounding_shifts()
};

Shifts shifts_of(const Draw& draw) {
  const Problem problem = mixture_of(draw);
  const Problem sample = rows_of(problem, sampled_rows(kRows));
  const Problem stored = in_half(problem), rounded = in_half(sample);
  const auto engine = [](const Problem& of) { return make_engine(of, kExperts, kThreads); };
  const std::vector<double> exact = fitted(*engine(problem), problem);
  const auto corrected = make_corrected_engine(engine(stored), engine(sample), engine(rounded));
  const MixtureLayout layout = problem.layout(kExperts);
  Eigen::MatrixXd hessian = curvature(problem, exact, layout, kThreads);
  Penalty{}.add_curvature(layout, hessian);
  const auto shift = [&](const std::vector<double>& theta) {
    const auto size = static_cast<Eigen::Index>(theta.size());
    const Eigen::VectorXd moved = Eigen::Map<const Eigen::VectorXd>(theta.data(), size) -
                                  Eigen::Map<const Eigen::VectorXd>(exact.data(), size);
    return std::sqrt(moved.dot(hessian * moved));
  };
  return {shift(fitted(*corrected, problem)),
          std::ranges::max(rounding_shifts(*sample.features, *rounded.features, kContexts))};
}

TEST(HalfStorage, HardlyMovesTheWeightsOfUsualLogs) {
  const std::vector<Draw> draws{[](Rng& rng) { return rng.normal(); },
                                [](Rng& rng) { return std::exp(rng.normal()); },
                                [](Rng& rng) { return std::floor(5 * rng.uniform()); },
                                [](Rng& rng) { return rng.uniform() < 0.03 ? 1.0 : 0.0; }};
  for (const Draw& draw : draws) {
    const Shifts shifts = shifts_of(draw);
    EXPECT_LT(shifts.corrected, kLargestRoundingShift);
    EXPECT_LT(shifts.expected, kLargestRoundingShift);
  }
}

TEST(HalfStorage, HardlyMovesTheWeightsOfHeavyTailsOrRefusesThem) {
  for (const double exponent : {2.5, 1.0, 0.4}) {
    const Shifts shifts = shifts_of(
        [=](Rng& rng) { return std::pow(std::max(rng.uniform(), 1e-12), -1 / exponent); });
    EXPECT_TRUE(shifts.corrected < kLargestRoundingShift || shifts.expected > kLargestRoundingShift)
        << exponent << ": " << shifts.corrected << ", " << shifts.expected;
  }
}

}  // namespace
}  // namespace otss
