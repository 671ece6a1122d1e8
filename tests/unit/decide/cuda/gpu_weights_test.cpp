// These tests need a GPU; without one they are skipped.
#include "decide/device/gpu_weights.hpp"

#include <gtest/gtest.h>

#include "base/cuda/gpu.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

LinearGate random_gate(int num_contexts, int num_experts, Rng& rng) {
  return {num_contexts, normal_draws(num_experts * num_contexts, rng),
          normal_draws(num_experts, rng)};
}

SoftMixture average_of_two(int num_contexts, int num_factors, Rng& rng) {
  AverageGate gate(
      {{0.3, random_gate(num_contexts, 2, rng)}, {0.7, random_gate(num_contexts, 4, rng)}});
  return {std::move(gate), num_factors, normal_draws(6 * num_factors, rng)};
}

class WeightsOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const cuda::GpuSearch found = cuda::find_gpu();
    if (!found.gpu) GTEST_SKIP() << found.reason;
  }

  // Expects the processor's weights up to rounding, and the same bits twice.
  static void expect_near(const SoftMixture& map, std::size_t rows, Rng& rng) {
    const std::vector<double> x = normal_draws(rows * map.num_contexts(), rng);
    std::vector<double> w(rows * map.num_factors()), again(w.size()), expected(w.size());
    map.weights(rows, x, expected);
    const auto weights = make_gpu_weights(map);
    weights->compute(rows, x, w);
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], expected[i], 1e-12) << i;
    weights->compute(rows, x, again);
    EXPECT_EQ(w, again);
  }
};

TEST_F(WeightsOnGpu, AreThoseOfTheProcessorUpToRounding) {
  Rng rng(6);
  for (const int num_experts : {1, 2, 5, 96}) {
    for (const int num_factors : {1, 10, 33})
      expect_near(random_mixture(20, num_factors, num_experts, rng), 3000, rng);
  }
}

TEST_F(WeightsOnGpu, OfAnAverageAreThoseOfTheProcessorUpToRounding) {
  Rng rng(7);
  expect_near(average_of_two(5, 3, rng), 1, rng);
  expect_near(average_of_two(5, 3, rng), 200'000, rng);
}

// Gates whose linear functions are so large that their exponentials are not finite.
TEST_F(WeightsOnGpu, OfSteepGatesAreFinite) {
  Rng rng(8);
  std::vector<double> slopes = normal_draws(3 * 4, rng);
  for (double& slope : slopes) slope *= 1e4;
  expect_near({LinearGate(4, slopes, normal_draws(3, rng)), 2, normal_draws(6, rng)}, 500, rng);
}

TEST_F(WeightsOnGpu, AreLeftToTheProcessorIfThereAreTooManyExpertsOrTheGateIsNotLinear) {
  Rng rng(9);
  EXPECT_EQ(make_gpu_weights(random_mixture(2, 2, 97, rng)), nullptr);
  const SoftMixture one_hot(OneHotGate(random_gate(2, 3, rng)), 2, normal_draws(6, rng));
  EXPECT_EQ(make_gpu_weights(one_hot), nullptr);
}

}  // namespace
}  // namespace otss
