#include "engine/cpu/cpu_engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "base/threads.hpp"
#include "engine/cpu/mixture_kernel.hpp"
#include "unit/engine/problem.hpp"

namespace otss::test {

using namespace internal;

namespace {

LossGradient evaluate(const Problem& problem, Precision precision, int num_threads = 1,
                      Isa isa = active_isa()) {
  const auto engine =
      make_cpu_engine(problem.features, problem.layout.num_contexts, problem.rows,
                      problem.layout.num_experts, num_threads, isa, problem.outcomes, {});
  LossGradient result{0, std::vector<double>(problem.layout.size())};
  result.loss = engine->evaluate(problem.theta, result.gradient, precision);
  return result;
}

// A row adds at most w |feature| to a gradient entry, and its logit is a sum of a few dozen terms:
// f32 leaves some ten roundings of it. Their signs are random, so a bound for the sum that lets
// every row err in the same direction is generous, yet far below what any wrong term would cause.
// In f64 the bar is 1e-12 of the same scale.
double tolerance(const Problem& problem, Precision precision) {
  const double scale = problem.rows.total() * kLargestFeature;
  return scale *
         (precision == Precision::kDouble ? 1e-12 : 10 * std::numeric_limits<float>::epsilon());
}

void expect_equal_to_plain(const Problem& problem, Precision precision, Isa isa) {
  const LossGradient ours = evaluate(problem, precision, 1, isa);
  const LossGradient plain = evaluate_plain(problem, problem.theta);
  const double allowed = tolerance(problem, precision);
  EXPECT_NEAR(ours.loss, plain.loss, allowed);
  for (std::size_t j = 0; j < plain.gradient.size(); ++j) {
    EXPECT_NEAR(ours.gradient[j], plain.gradient[j], allowed) << "parameter " << j;
  }
}

MixtureKernel fast_kernel(Isa isa, Precision precision, int num_experts) {
  switch (isa) {
    case Isa::kBaseline:
      return baseline::mixture_kernel(precision, num_experts, RowLoss::kLogisticOfUnitWeights);
    case Isa::kAvx2:
      return avx2::mixture_kernel(precision, num_experts, RowLoss::kLogisticOfUnitWeights);
    case Isa::kAvx512:
      return avx512::mixture_kernel(precision, num_experts, RowLoss::kLogisticOfUnitWeights);
  }
  return nullptr;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : kAllIsas) {
    if (isa_supported(isa)) isas.push_back(isa);
  }
  return isas;
}

class CpuEngine : public testing::TestWithParam<std::tuple<Isa, Precision, int>> {
 protected:
  Isa isa() const { return std::get<0>(GetParam()); }
  Precision precision() const { return std::get<1>(GetParam()); }
  int num_experts() const { return std::get<2>(GetParam()); }
};

TEST_P(CpuEngine, EqualsThePlainPathForAnyShape) {
  // Sizes around every block of columns, tiles and flushes, and none at all.
  for (const auto& [contexts, factors] :
       {std::pair{0, 1}, {1, 0}, {3, 2}, {7, 5}, {20, 10}, {33, 9}}) {
    for (const std::size_t num_rows : {1UL, 127UL, 129UL, 2300UL}) {
      SCOPED_TRACE(testing::Message()
                   << contexts << " contexts, " << factors << " factors, " << num_rows << " rows");
      expect_equal_to_plain(make_problem(num_rows, {contexts, factors, num_experts()}), precision(),
                            isa());
    }
  }
}

TEST_P(CpuEngine, GivesASmallLogSeveralTasksAndTheSumsOfWholeChunks) {
  constexpr std::size_t kChunkTiles = 8192 / kTileRows;
  const Problem problem = make_problem(9000, {4, 3, num_experts()});
  const std::size_t before = num_tasks_done();
  const LossGradient ours = evaluate(problem, precision(), 1, isa());
  EXPECT_EQ(num_tasks_done() - before, num_experts() <= kMaxFastExperts ? 5U : 2U);
  if (num_experts() > kMaxFastExperts) return;

  std::vector<std::uint32_t> tiles(problem.features.num_tiles());
  std::iota(tiles.begin(), tiles.end(), 0);
  std::vector<std::max_align_t> memory(workspace_bytes(problem.layout.size(), num_experts()));
  void* workspace = memory.data();
  std::size_t space = memory.size() * sizeof(std::max_align_t);
  ASSERT_NE(std::align(64, workspace_bytes(problem.layout.size(), num_experts()), workspace, space),
            nullptr);
  LossGradient whole{0, std::vector<double>(problem.layout.size(), 0.0)};
  for (std::size_t first = 0; first < tiles.size(); first += kChunkTiles) {
    std::vector<double> gradient(problem.layout.size());
    whole.loss += fast_kernel(isa(), precision(), num_experts())(
        {.features = problem.features.tile(0),
         .signed_weights = problem.rows.tile(0),
         .tiles = tiles.data() + first,
         .num_tiles = std::min(kChunkTiles, tiles.size() - first),
         .num_contexts = problem.layout.num_contexts,
         .num_factors = problem.layout.num_factors,
         .num_experts = num_experts()},
        problem.theta.data(), gradient.data(), workspace);
    for (std::size_t j = 0; j < gradient.size(); ++j) whole.gradient[j] += gradient[j];
  }
  EXPECT_EQ(ours.loss, whole.loss);
  EXPECT_EQ(ours.gradient, whole.gradient);
}

TEST_P(CpuEngine, EqualsThePlainPathWithWeights) {
  expect_equal_to_plain(make_problem(900, {6, 5, num_experts()}, Weights::kGeneral), precision(),
                        isa());
}

TEST_P(CpuEngine, EqualsThePlainPathWithRowsLeftOut) {
  expect_equal_to_plain(make_problem(900, {6, 5, num_experts()}, Weights::kMasked), precision(),
                        isa());
  Problem folds = make_problem(900, {6, 5, num_experts()});
  folds.rows = folds.rows.restricted_to([](std::size_t row) { return row % 5 != 2; });
  ASSERT_TRUE(folds.rows.unit());
  expect_equal_to_plain(folds, precision(), isa());
}

TEST_P(CpuEngine, EqualsThePlainPathForGaussianOutcomes) {
  for (const Weights weights : {Weights::kUnit, Weights::kGeneral, Weights::kMasked}) {
    for (const std::size_t num_rows : {129UL, 2300UL}) {
      expect_equal_to_plain(with_family(make_problem(num_rows, {9, 5, num_experts()}, weights),
                                        OutputFamily::kGaussian),
                            precision(), isa());
    }
  }
}

TEST_P(CpuEngine, GivesGaussianOutcomesOfASmallLogSeveralTasks) {
  const Problem problem =
      with_family(make_problem(9000, {4, 3, num_experts()}), OutputFamily::kGaussian);
  const std::size_t before = num_tasks_done();
  evaluate(problem, precision(), 1, isa());
  EXPECT_EQ(num_tasks_done() - before, num_experts() <= kMaxFastExperts ? 5U : 2U);
}

TEST_P(CpuEngine, GivesTheSameBitsForAnyNumberOfThreads) {
  const Problem problem = make_problem(20'000, {7, 5, num_experts()});
  const LossGradient one = evaluate(problem, precision(), 1, isa());
  for (const int num_threads : {2, 7}) {
    const LossGradient many = evaluate(problem, precision(), num_threads, isa());
    EXPECT_EQ(one.loss, many.loss);
    EXPECT_EQ(one.gradient, many.gradient);
  }
}

TEST_P(CpuEngine, StaysFiniteWhereTheLogitsAreHuge) {
  for (const Weights weights : {Weights::kUnit, Weights::kGeneral}) {
    const Problem problem = make_problem(300, {6, 5, num_experts()}, weights, 1e4);
    const LossGradient ours = evaluate(problem, precision(), 1, isa());
    EXPECT_TRUE(std::isfinite(ours.loss));
    for (const double entry : ours.gradient) EXPECT_TRUE(std::isfinite(entry));
    const LossGradient plain = evaluate_plain(problem, problem.theta);
    EXPECT_NEAR(ours.loss / plain.loss, 1, 1e-5);
  }
}

std::string name_of(const testing::TestParamInfo<CpuEngine::ParamType>& info) {
  const auto [isa, precision, num_experts] = info.param;
  return std::string(isa_name(isa)) + (precision == Precision::kSingle ? "_f32_" : "_f64_") +
         std::to_string(num_experts) + "_experts";
}

INSTANTIATE_TEST_SUITE_P(Everywhere, CpuEngine,
                         testing::Combine(testing::ValuesIn(supported_isas()),
                                          testing::Values(Precision::kSingle, Precision::kDouble),
                                          testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 11)),
                         name_of);

TEST(CpuEngineSubsample, CostsOnlyTheTilesItNeedsAndEqualsTheRowsAlone) {
  const MixtureLayout layout{4, 3, 2};
  Problem all = make_problem(40 * kTileRows, layout);
  const auto kept = [](std::size_t tile) { return tile == 3 || tile == 17 || tile == 39; };
  all.rows = all.rows.restricted_to([&](std::size_t row) { return kept(row / kTileRows); });

  TileMatrix few(3 * kTileRows, 7);
  std::vector<float> outcomes;
  for (std::size_t row = 0; row < all.features.num_rows(); ++row) {
    if (!kept(row / kTileRows)) continue;
    for (int c = 0; c < 7; ++c) few.at(outcomes.size(), c) = all.features.at(row, c);
    outcomes.push_back(all.rows[row] > 0 ? 1.0F : 0.0F);
  }
  const Problem alone{layout, std::move(few), SignedWeights(outcomes), all.theta};
  const LossGradient masked = evaluate(all, Precision::kSingle);
  const LossGradient copied = evaluate(alone, Precision::kSingle);
  EXPECT_EQ(masked.loss, copied.loss);
  EXPECT_EQ(masked.gradient, copied.gradient);
}

TEST(CpuEngineSubsample, OfNoRowsHasNoLoss) {
  Problem problem = make_problem(300, {2, 2, 2});
  problem.rows = problem.rows.restricted_to([](std::size_t) { return false; });
  const LossGradient none = evaluate(problem, Precision::kDouble);
  EXPECT_EQ(none.loss, 0);
  for (const double entry : none.gradient) EXPECT_EQ(entry, 0);
}

TEST(CpuEngineTheta, ThatIsNotFiniteNeverLooksFine) {
  Problem problem = make_problem(200, {3, 2, 3});
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (std::size_t j = 0; j < problem.theta.size(); ++j) {
      Problem broken = make_problem(200, {3, 2, 3});
      broken.theta[j] = bad;
      for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
        EXPECT_FALSE(std::isfinite(evaluate(broken, precision).loss)) << "parameter " << j;
      }
    }
  }
}

}  // namespace
}  // namespace otss::test
