#include "engine/half/corrected_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cpu/cpu_engine.hpp"
#include "engine/half/half_rows.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {
namespace {

std::unique_ptr<Engine> engine_of(const Problem& problem, const TileMatrix& features) {
  return make_cpu_engine(features, problem.layout.num_contexts, problem.rows,
                         problem.layout.num_experts, 1, active_isa(), problem.outcomes);
}

TEST(CorrectedEngine, GivesTheOriginalLossIfTheSampleHasAllRows) {
  const Problem problem = make_problem(3000, {5, 4, 3}, Weights::kGeneral);
  const TileMatrix rounded = rounded_to_half(problem.features);
  const auto original = engine_of(problem, problem.features);
  const auto corrected =
      make_corrected_engine(engine_of(problem, rounded), engine_of(problem, problem.features),
                            engine_of(problem, rounded));
  EXPECT_EQ(corrected->total_weight(), original->total_weight());
  std::vector<double> expected(problem.layout.size()), gradient(problem.layout.size());
  const double loss = original->evaluate(problem.theta, expected, Precision::kDouble);
  EXPECT_NEAR(corrected->evaluate(problem.theta, gradient, Precision::kDouble), loss, 1e-12 * loss);
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(gradient[j], expected[j], 1e-12 * loss);
}

TEST(CorrectedEngine, SamplesWholeTiles) {
  const std::vector<std::size_t> rows = sampled_rows(kTilesPerSampledTile * kTileRows + 3);
  ASSERT_EQ(rows.size(), kTileRows + 3);
  EXPECT_EQ(rows[kTileRows - 1], kTileRows - 1);
  EXPECT_EQ(rows[kTileRows], kTilesPerSampledTile * kTileRows);
}

}  // namespace
}  // namespace otss::test
