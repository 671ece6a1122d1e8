#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/isa.hpp"
#include "base/random.hpp"
#include "model/maps/cache_line.hpp"
#include "model/maps/isa/weights_kernel.hpp"
#include "model/maps/soft_mixture.hpp"
#include "unit/model/allocation_counter.hpp"

namespace otss {
namespace {

using namespace internal;

using Numbers = std::vector<double>;

Numbers normal_draws(std::size_t count, double scale, Rng& rng) {
  Numbers draws(count);
  for (double& draw : draws) draw = scale * rng.normal();
  return draws;
}

struct Example {
  int p, num_factors, num_experts;
  LinearGate gate;
  SoftMixture map;

  Example(int p_, int num_factors_, int num_experts_, Rng& rng)
      : p(p_),
        num_factors(num_factors_),
        num_experts(num_experts_),
        gate(LinearGate(p, normal_draws(p * num_experts, 1, rng),
                        normal_draws(num_experts, 1, rng))),
        map(gate, num_factors, normal_draws(num_factors * num_experts, 2, rng)) {}

  Numbers shares_by_definition(std::span<const double> x) const {
    Numbers logits(gate.intercepts().begin(), gate.intercepts().end());
    for (int k = 0; k < num_experts; ++k) {
      for (int j = 0; j < p; ++j) logits[k] += gate.slopes()[k * p + j] * x[j];
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    for (double& logit : logits) logit = std::exp(logit - largest);
    const double sum = std::accumulate(logits.begin(), logits.end(), 0.0);
    for (double& logit : logits) logit /= sum;
    return logits;
  }
};

// Sizes on both sides of every vector width, and more experts than fit on the stack.
template <class Check>
void for_many_sizes(const Check& check) {
  Rng rng(7);
  for (const int p : {0, 1, 2, 7, 20}) {
    for (const int num_factors : {1, 2, 3, 8, 10, 17}) {
      for (const int num_experts : {1, 2, 5, 8, 9, 300})
        check(Example(p, num_factors, num_experts, rng), rng);
    }
  }
}

TEST(SoftMixture, MixesTheExpertsByTheSharesItsGateReports) {
  for_many_sizes([](const Example& mixture, Rng& rng) {
    const Numbers x = normal_draws(mixture.p, 1, rng);
    Numbers alpha(mixture.num_experts), w(mixture.num_factors);
    mixture.gate.shares(x, alpha);
    mixture.map.weights(x, w);
    for (int j = 0; j < mixture.num_factors; ++j) {
      double expected = 0, size = 0;
      for (int k = 0; k < mixture.num_experts; ++k) {
        expected += alpha[k] * mixture.map.expert(k)[j];
        size += alpha[k] * std::abs(mixture.map.expert(k)[j]);
      }
      EXPECT_NEAR(w[j], expected, 1e-15 * mixture.num_experts * size);
    }
  });
}

TEST(LinearGate, SharesAreTheSoftmaxAndSumToOne) {
  for_many_sizes([](const Example& mixture, Rng& rng) {
    const Numbers x = normal_draws(mixture.p, 1, rng);
    Numbers alpha(mixture.num_experts);
    mixture.gate.shares(x, alpha);
    EXPECT_NEAR(std::accumulate(alpha.begin(), alpha.end(), 0.0), 1, 1e-14);
    EXPECT_THAT(alpha,
                testing::Pointwise(testing::DoubleNear(1e-13), mixture.shares_by_definition(x)));
  });
}

TEST(SoftMixture, GivesARowTheSameBitsAloneAndInABatch) {
  for_many_sizes([](const Example& mixture, Rng& rng) {
    const std::size_t p = mixture.p, num_factors = mixture.num_factors,
                      num_experts = mixture.num_experts;
    for (const std::size_t rows : {1, 3, 8, 21}) {
      const Numbers x = normal_draws(rows * p, 1, rng);
      Numbers batch(rows * num_factors), batch_alpha(rows * num_experts);
      mixture.map.weights(rows, x, batch);
      mixture.gate.shares(rows, x, batch_alpha);
      Numbers alone(rows * num_factors), alone_alpha(rows * num_experts);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto context = std::span(x).subspan(row * p, p);
        mixture.map.weights(context, std::span(alone).subspan(row * num_factors, num_factors));
        mixture.gate.shares(context,
                            std::span(alone_alpha).subspan(row * num_experts, num_experts));
      }
      EXPECT_EQ(batch, alone);
      EXPECT_EQ(batch_alpha, alone_alpha);
    }
  });
}

TEST(SoftMixture, WritesNothingPastItsWeights) {
  for_many_sizes([](const Example& mixture, Rng& rng) {
    const std::size_t rows = 9;
    const Numbers x = normal_draws(rows * mixture.p, 1, rng);
    Numbers w(rows * mixture.num_factors + 16, 42.0);
    mixture.map.weights(rows, x, std::span(w).first(rows * mixture.num_factors));
    EXPECT_THAT(std::span(w).last(16), testing::Each(42.0));
  });
}

TEST(SoftMixture, DoesNotAllocateWhenItWeighs) {
  Rng rng(3);
  const Example mixture(20, 10, 5, rng);
  const Numbers x = normal_draws(33 * 20, 1, rng);
  Numbers w(33 * 10);
  const std::size_t before = num_allocations();
  mixture.map.weights(std::span(x).first(20), std::span(w).first(10));
  mixture.map.weights(33, x, w);
  EXPECT_EQ(num_allocations(), before);
}

TEST(SoftMixture, WithOneExpertIsThatExpertWhateverTheGate) {
  const SoftMixture map(LinearGate(1, Numbers{5.0}, Numbers{-3.0}), 2, {0.1, -0.2});
  Numbers w(2);
  map.weights(Numbers{1e6}, w);
  EXPECT_EQ(w, (Numbers{0.1, -0.2}));
}

TEST(SoftMixture, ScoresADecisionByItsWeights) {
  const SoftMixture map(LinearGate(0, Numbers{}, Numbers{0, 0}), 2, {1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(map.score({}, Numbers{10, 1}), 24);
}

TEST(LinearGate, GivesNumbersForHugeAndTinyLogits) {
  const double huge = std::numeric_limits<double>::max();
  for (const double x : {0.0, 1e-308, 1.0, 800.0, 1e10, 1e300, huge, -1.0, -800.0, -1e300, -huge}) {
    const LinearGate gate(3, {huge, -huge, 1, 1, 1, 1, -huge, huge, -1, 0, 0, 0},
                          {0, 1e-300, 0, -huge});
    Numbers alpha(4);
    gate.shares(Numbers{x, x, x}, alpha);
    for (const double share : alpha) EXPECT_TRUE(share >= 0 && share <= 1) << share << " at " << x;
    EXPECT_NEAR(std::accumulate(alpha.begin(), alpha.end(), 0.0), 1, 1e-15) << " at " << x;
  }
}

TEST(LinearGate, ComparesSlopesWhoseDifferenceOverflows) {
  const double huge = std::numeric_limits<double>::max();
  const LinearGate gate(1, {huge, -huge}, {0, 0});
  Numbers alpha(2);
  gate.shares(Numbers{0}, alpha);
  EXPECT_EQ(alpha, (Numbers{0.5, 0.5}));
  gate.shares(Numbers{1}, alpha);
  EXPECT_EQ(alpha, (Numbers{1, 0}));
  gate.shares(Numbers{-1}, alpha);
  EXPECT_EQ(alpha, (Numbers{0, 1}));
}

TEST(LinearGate, IgnoresExpertsFarBehind) {
  const LinearGate gate(1, {0, -1, -1000}, {0, 0, 0});
  Numbers alpha(3);
  gate.shares(Numbers{1e5}, alpha);
  EXPECT_EQ(alpha, (Numbers{1, 0, 0}));
}

TEST(SoftMixture, TakesAnyGate) {
  const SoftMixture map(OneHotGate(LinearGate(1, {1, -1}, {0, 0})), 3, {1, 2, 3, 4, 5, 6});
  Numbers x(19), w(19 * 3), expected;
  for (std::size_t row = 0; row < x.size(); ++row) {
    x[row] = row % 3 == 0 ? 1 : -1;
    const auto expert = map.expert(row % 3 == 0 ? 0 : 1);
    expected.insert(expected.end(), expert.begin(), expert.end());
  }
  map.weights(x.size(), x, w);
  EXPECT_EQ(w, expected);
}

class WeightsKernelOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor lacks it";
  }
};

TEST_P(WeightsKernelOn, ExponentialIsWithinTwoUlp) {
  constexpr std::size_t kCount = 1 << 16;
  CacheLines x(kCount / kDoublesPerLine), result(kCount / kDoublesPerLine);
  Rng rng(11);
  for (CacheLine& line : x) {
    for (double& value : line.lanes) value = -std::pow(10, rng.uniform(-18, std::log10(699.9)));
  }
  x[0].lanes[0] = 0;
  weights_kernel(GetParam()).exp(kCount, x[0].lanes, result[0].lanes);
  for (std::size_t i = 0; i < kCount; ++i) {
    const double argument = x[i / kDoublesPerLine].lanes[i % kDoublesPerLine];
    const long double exact = std::exp(static_cast<long double>(argument));
    const auto rounded = static_cast<double>(exact);
    const double ulp = rounded - std::nextafter(rounded, 0.0);
    ASSERT_LE(std::abs(result[i / kDoublesPerLine].lanes[i % kDoublesPerLine] - exact), 2 * ulp)
        << argument;
  }
}

TEST_P(WeightsKernelOn, AgreesWithTheChosenOneToRounding) {
  const WeightsKernel& kernel = weights_kernel(GetParam());
  for_many_sizes([&](const Example& mixture, Rng& rng) {
    const std::size_t rows = 11, num_experts = mixture.num_experts;
    const Numbers x = normal_draws(rows * mixture.p, 1, rng);
    Numbers expected(rows * num_experts), alpha(rows * num_experts);
    mixture.gate.shares(rows, x, expected);
    CacheLines scratch(lines_for(scratch_size(rows, num_experts)));
    kernel.shares(mixture.gate.packed(), rows, x.data(), alpha.data(), scratch[0].lanes);
    EXPECT_THAT(alpha, testing::Pointwise(testing::DoubleNear(1e-14), expected));
  });
}

TEST_P(WeightsKernelOn, GivesARowTheSameBitsAloneAndInABatch) {
  const WeightsKernel& kernel = weights_kernel(GetParam());
  for_many_sizes([&](const Example& mixture, Rng& rng) {
    const std::size_t rows = 19, num_experts = mixture.num_experts;
    const Numbers x = normal_draws(rows * mixture.p, 1, rng);
    Numbers batch(rows * num_experts), alone(rows * num_experts);
    CacheLines scratch(lines_for(scratch_size(rows, num_experts)));
    kernel.shares(mixture.gate.packed(), rows, x.data(), batch.data(), scratch[0].lanes);
    for (std::size_t row = 0; row < rows; ++row) {
      kernel.shares(mixture.gate.packed(), 1, x.data() + row * mixture.p,
                    alone.data() + row * num_experts, scratch[0].lanes);
    }
    EXPECT_EQ(batch, alone);
  });
}

INSTANTIATE_TEST_SUITE_P(EveryInstructionSet, WeightsKernelOn, testing::ValuesIn(kAllIsas),
                         [](const auto& instance) {
                           return std::string(isa_name(instance.param));
                         });

}  // namespace
}  // namespace otss
