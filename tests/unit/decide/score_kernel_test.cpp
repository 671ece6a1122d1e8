#include "decide/isa/score_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/isa.hpp"
#include "decide/packed_decisions.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

class ScoreKernelOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor lacks it";
  }
};

PackedDecisions pack(const FeasibleSet& library) {
  std::vector<std::size_t> all(library.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return PackedDecisions(library.factors(), library.num_factors(), all);
}

TEST_P(ScoreKernelOn, ScoresAreInnerProducts) {
  Rng rng(31);
  for (const std::size_t size : {1, 8, 31, 32, 45, 700}) {
    const FeasibleSet library = library_of(6, normal_draws(size * 6, rng));
    const PackedDecisions packed = pack(library);
    const std::size_t rows = 7;
    const auto w = normal_draws(rows * 6, rng);
    CacheLines scores(rows * packed.view().num_units);
    score_kernel(GetParam()).scores(packed.view(), rows, w.data(), scores[0].lanes);
    for (std::size_t row = 0; row < rows; ++row) {
      const double* of_row = scores[0].lanes + row * packed.padded_size();
      for (std::size_t i = 0; i < size; ++i) {
        const auto z = library.factors_of(i);
        const double expected = std::inner_product(z.begin(), z.end(), w.begin() + row * 6, 0.0);
        ASSERT_NEAR(of_row[i], expected, 1e-13);
      }
      for (std::size_t i = size; i < packed.padded_size(); ++i) ASSERT_LT(of_row[i], -1e300);
    }
  }
}

TEST_P(ScoreKernelOn, BestTwoAreTheFirstMaximumAndTheNext) {
  Rng rng(32);
  for (const std::size_t size : {1, 2, 8, 31, 33, 64, 700}) {
    const PackedDecisions packed = pack(library_with_ties(size, 3, rng));
    const std::size_t rows = kMaxContexts - 1;
    const auto w = normal_draws(rows * 3, rng);
    CacheLines scores(rows * packed.view().num_units);
    BestTwo found[kMaxContexts];
    score_kernel(GetParam()).scores(packed.view(), rows, w.data(), scores[0].lanes);
    score_kernel(GetParam()).best_two(packed.view(), rows, w.data(), found);
    for (std::size_t row = 0; row < rows; ++row) {
      double* begin = scores[0].lanes + row * packed.padded_size();
      double* best = std::max_element(begin, begin + size);
      ASSERT_EQ(found[row].index, static_cast<std::size_t>(best - begin));
      ASSERT_EQ(found[row].best, *best);
      *best = -std::numeric_limits<double>::infinity();
      ASSERT_EQ(found[row].second, *std::max_element(begin, begin + size));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, ScoreKernelOn, testing::ValuesIn(kAllIsas),
                         [](const auto& instance) {
                           return std::string(isa_name(instance.param));
                         });

}  // namespace
}  // namespace otss
