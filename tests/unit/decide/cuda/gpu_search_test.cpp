// These tests need a GPU; without one they are skipped.
#include "decide/cuda/gpu_search.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "base/cuda/gpu.hpp"
#include "otss/decide/decider.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

class GpuDecisions : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::GpuSearch found = cuda::find_gpu();
    if (!found.gpu) GTEST_SKIP() << found.reason;
  }

  // Expects the bits of the processor's decisions.
  static void expect_same(const WeightMap& map, const FeasibleSet& library, std::size_t rows,
                          Rng& rng) {
    const std::vector<double> x = normal_draws(rows * map.num_contexts(), rng);
    const Contexts contexts{.num_rows = rows, .x = x};
    const auto expected = Decider(map, library).decide(contexts);
    const auto found = Decider(map, library, {.device = Device::kCuda}).decide(contexts);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto fields = [](const Decision& d) { return std::tuple(d.row, d.index, d.score); };
      EXPECT_EQ(fields(found[i]), fields(expected[i])) << i;
      if (library.size() > 1) {
        EXPECT_EQ(found[i].margin, expected[i].margin) << i;
      }
    }
  }
};

TEST_F(GpuDecisions, AreThoseOfTheProcessor) {
  Rng rng(3);
  for (const int num_factors : {1, 2, 7, 10, 16, 32, 33}) {
    const SoftMixture map = random_mixture(4, num_factors, 3, rng);
    for (const std::size_t size : {1, 2, 3, 700, 5000})
      expect_same(map, library_of(num_factors, normal_draws(size * num_factors, rng)), 1500, rng);
  }
}

TEST_F(GpuDecisions, AreThoseOfTheProcessorEvenIfScoresAreEqual) {
  Rng rng(4);
  const SoftMixture map = random_mixture(3, 5, 3, rng);
  expect_same(map, library_with_ties(3000, 5, rng), 700, rng);
}

// Numbers that f32 cannot hold are left to the processor.
TEST_F(GpuDecisions, AreThoseOfTheProcessorForNumbersOfAnySize) {
  Rng rng(5);
  const SoftMixture map = random_mixture(3, 2, 2, rng);
  for (const double scale : {1e-45, 1e-20, 1e20, 1e40}) {
    std::vector<double> factors = normal_draws(2000, rng);
    for (std::size_t i = 0; i < factors.size(); i += 2) factors[i] *= scale;
    expect_same(map, library_of(2, factors), 300, rng);
  }
}

}  // namespace
}  // namespace otss
