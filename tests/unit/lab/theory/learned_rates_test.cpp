#include "lab/theory/learned_rates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/theory/dimension_rates.hpp"
#include "lab/theory/hard_regions.hpp"
#include "lab/theory/rate_constants.hpp"
#include "lab/theory/soft_likelihood.hpp"

namespace otss {
namespace {

using namespace internal;

TEST(LearnedRates, MeetTheConstantsOfTheTheoryOnBothFamilies) {
  constexpr int kSeeds = 6, kLog2 = 12;
  for (const RateShare form : {RateShare::kStraight, RateShare::kCurved}) {
    const RateConstants constants = rate_constants(form);
    double oracle = 0, joint = 0, parameters = 0, best = 0;
    for (int i = 0; i < kSeeds; ++i) {
      const LearnedRates rates = learned_rates(7700 + i, kLog2, form);
      oracle += rates.oracle_gate.weights / kSeeds;
      joint += rates.joint.weights / kSeeds;
      parameters += rates.joint.parameters / kSeeds;
      best += rates.best_regions.weights / kSeeds;
      EXPECT_GE(rates.chosen_regions.regions, 1);
      EXPECT_LT(rates.shipped.weights, rates.best_regions.weights + 0.1);
    }
    // An error has about 8 degrees of freedom, so the mean of six has a relative standard error of
    // √(2 / 8 / 6) = 0.2. The parameters' error is dominated by one or two directions: 0.6.
    const double n = std::exp2(kLog2);
    EXPECT_NEAR(oracle * n / constants.oracle_gate, 1, 0.8);
    EXPECT_NEAR(joint * n / constants.joint, 1, 0.8);
    EXPECT_LT(parameters * n / constants.joint_parameters, 4);
    EXPECT_GT(parameters * n / constants.joint_parameters, 0.1);
    EXPECT_GT(best, oracle);
  }
}

TEST(LearnedRates, ChooseMoreRegionsForMoreRows) {
  EXPECT_LT(choose_num_regions(draw_rate_log(7710, 10)),
            choose_num_regions(draw_rate_log(7710, 16)));
}

TEST(AlignedParameterError, DoesNotDependOnTheNumberingOfTheExperts) {
  const MixtureLayout layout{1, 1, 3};
  // Gates D1, D2 (slope, intercept), D3 = 0; baseline 2; experts (weight, intercept).
  const std::vector<double> truth = {1, 2, 3, 4, 0, 0, 10, 0, 20, 0, 30, 0};
  // The same model with the experts in the order 3, 1, 2: gates relative to expert 2.
  const std::vector<double> renumbered = {-3, -4, -2, -2, 0, 0, 30, 0, 10, 0, 20, 0};
  EXPECT_NEAR(aligned_parameter_error(layout, renumbered, truth), 0, 1e-20);
  std::vector<double> other = renumbered;
  other[layout.expert(0)] += 2;
  EXPECT_NEAR(aligned_parameter_error(layout, other, truth), 4, 1e-12);
  // Baseline and intercepts do not count.
  other = renumbered;
  other[layout.baseline()] = 5;
  other[layout.expert(1) + 1] = 5;
  EXPECT_NEAR(aligned_parameter_error(layout, other, truth), 0, 1e-20);
}

TEST(DimensionRates, GrowWithTheNumberOfParameters) {
  const RateDimensions small{.factors = 2, .experts = 2, .contexts = 1};
  const RateDimensions large{.factors = 8, .experts = 2, .contexts = 2};
  EXPECT_EQ(small.num_parameters(), 6);
  EXPECT_EQ(large.num_parameters(), 19);
  double ratio_small = 0, ratio_large = 0;
  for (int i = 0; i < 3; ++i) {
    const DimensionRates a = dimension_rates(7720 + i, 12, small);
    const DimensionRates b = dimension_rates(7720 + i, 12, large);
    EXPECT_LT(a.oracle_gate.weights, a.joint.weights * 1.5);
    ratio_small += 4096 * a.oracle_gate.weights / 3;
    ratio_large += 4096 * b.oracle_gate.weights / 3;
    EXPECT_LT(b.shipped.weights, 0.5);
    EXPECT_LT(b.joint.parameters, 50);
  }
  EXPECT_GT(ratio_large, 1.5 * ratio_small);
}

}  // namespace
}  // namespace otss
