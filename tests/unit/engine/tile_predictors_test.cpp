#include "engine/tile_predictors.hpp"

#include <gtest/gtest.h>

#include "engine/linear_predictors.hpp"
#include "engine/mixture_row.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

double plain_predictor(const Problem& problem, std::size_t row) {
  MixtureRow plain(problem.layout, problem.theta);
  plain.evaluate(problem.features.tile(row / kTileRows) + row % kTileRows);
  return plain.eta();
}

TEST(TilePredictors, EqualThoseOfTheFormulaOnEveryInstructionSet) {
  for (const int experts : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    const Problem problem = make_problem(500, {4, 3, experts}, Weights::kUnit, 2.0);
    const std::vector<std::uint32_t> tiles{1, 3};  // the last tile has rows beyond the log
    alignas(64) double eta[2 * kTileRows];
    for (const Isa isa : kAllIsas) {
      if (!isa_supported(isa)) continue;
      tile_predictors(problem.features, problem.layout, problem.theta, tiles, eta,
                      Mixed::kPredictors, isa);
      for (std::size_t i = 0; i < kTileRows; ++i) {
        ASSERT_NEAR(eta[i], plain_predictor(problem, kTileRows + i), 1e-12) << isa_name(isa);
        if (3 * kTileRows + i >= 500) continue;
        ASSERT_NEAR(eta[kTileRows + i], plain_predictor(problem, 3 * kTileRows + i), 1e-12);
      }
    }
  }
}

TEST(LinearPredictors, AreSetForWantedRowsOnly) {
  const Problem problem = make_problem(500, {4, 3, 2});
  std::vector<double> eta(500, -7.0);
  linear_predictors(problem.features, problem.layout, problem.theta, 1, eta, Mixed::kPredictors,
                    [](std::size_t row) { return row % 100 == 37; });
  for (std::size_t i = 0; i < eta.size(); ++i) {
    if (i % 100 == 37) {
      EXPECT_NEAR(eta[i], plain_predictor(problem, i), 1e-12);
    } else {
      EXPECT_EQ(eta[i], -7.0);
    }
  }
}

}  // namespace
}  // namespace otss::test
