#include "lab/theory/regret_bounds.hpp"

#include <gtest/gtest.h>

#include "lab/worlds/truth.hpp"
#include "unit/lab/theory/random_families.hpp"

namespace otss {
namespace {

using namespace internal;

constexpr int kConfigurations = 1000;

struct Sample {
  std::vector<ContextMargin> margins;
  double mean_regret = 0;
  double weight_mse = 0;
  double largest_factor_norm = 0;
};

// Random weights on a random library, with errors from tiny to larger than the weights.
Sample random_sample(Rng& rng) {
  const int num_factors = 1 + static_cast<int>(rng.below(8));
  const std::size_t contexts = 5 + rng.below(60);
  const auto library = random_normals(rng, (2 + rng.below(30)) * num_factors);
  const auto truth = random_normals(rng, contexts * num_factors);
  auto estimate = random_normals(rng, contexts * num_factors, std::pow(10, rng.uniform(-3, 0.5)));
  for (std::size_t i = 0; i < truth.size(); ++i) estimate[i] += truth[i];

  Sample sample;
  sample.margins =
      context_margins(estimate, truth, FeasibleSet::of_library({}, num_factors, library));
  for (const ContextMargin& m : sample.margins)
    sample.mean_regret += m.regret / static_cast<double>(contexts);
  sample.weight_mse = weight_mse(estimate, truth, num_factors);
  for (std::size_t d = 0; d < library.size(); d += num_factors) {
    double squares = 0;
    for (int j = 0; j < num_factors; ++j) squares += library[d + j] * library[d + j];
    sample.largest_factor_norm = std::max(sample.largest_factor_norm, std::sqrt(squares));
  }
  return sample;
}

TEST(LocalizedRegretBound, IsAboveTheMeanRegretForEveryEta) {
  Rng rng(7601);
  for (int i = 0; i < kConfigurations; ++i) {
    const Sample sample = random_sample(rng);
    const double eta = std::pow(10, rng.uniform(-4, 2));
    EXPECT_LE(sample.mean_regret, localized_regret_bound(sample.margins, eta) + 1e-12)
        << "configuration " << i;
  }
}

TEST(LocalizedRegretBound, CountsTheCloseCallsAndTheSizeOfTheErrors) {
  const std::vector<ContextMargin> margins = {{.margin = 1, .perturbation = 0.1},
                                              {.margin = 0.1, .perturbation = 0.3}};
  EXPECT_DOUBLE_EQ(localized_regret_bound(margins, 0.2), 2 * 0.2 * 0.5 + 2 * 0.05 / 0.2);
}

TEST(MarginTailRegretBound, IsAboveTheMeanRegretForEveryExponent) {
  Rng rng(7602);
  for (int i = 0; i < kConfigurations; ++i) {
    const Sample sample = random_sample(rng);
    const MarginTail tail = margin_tail(sample.margins, rng.uniform(0.1, 3));
    EXPECT_LE(sample.mean_regret,
              margin_tail_regret_bound(tail, sample.largest_factor_norm, sample.weight_mse))
        << "configuration " << i;
  }
}

TEST(MarginTailRegretBound, IsTheSmallestOverEtaOfTheBoundItComesFrom) {
  const MarginTail tail{.constant = 0.7, .exponent = 1.5};
  const double v = 4 * 0.03;
  double smallest = INFINITY;
  for (double eta = 0.001; eta < 2; eta *= 1.001) {
    smallest = std::min(smallest, std::exp2(2.5) * 0.7 * std::pow(eta, 2.5) + 2 * v / eta);
  }
  EXPECT_NEAR(margin_tail_regret_bound(tail, 2, 0.03), smallest, 1e-6);
}

TEST(MarginTailRegretBound, FallsWithTheWeightErrorAtTheRateOfTheCorollary) {
  for (const double exponent : {0.5, 1.0, 2.0}) {
    const MarginTail tail{.constant = 2, .exponent = exponent};
    const double ratio =
        margin_tail_regret_bound(tail, 3, 1e-2) / margin_tail_regret_bound(tail, 3, 1e-4);
    EXPECT_NEAR(ratio, std::pow(100, (1 + exponent) / (2 + exponent)), 1e-9);
    EXPECT_DOUBLE_EQ(margin_tail_rate(tail), (1 + exponent) / (2 + exponent));
  }
}

TEST(MarginTail, IsTheSmallestThatHoldsForTheContexts) {
  const std::vector<ContextMargin> margins = {{.margin = 2}, {.margin = 0.5}, {.margin = 1}};
  const MarginTail tail = margin_tail(margins, 1);
  EXPECT_DOUBLE_EQ(tail.constant, (1.0 / 3) / 0.5);
}

TEST(MarginTail, IsEndlessWhereAContextHasNoMargin) {
  const std::vector<ContextMargin> margins = {{.margin = 0}, {.margin = 1}};
  EXPECT_TRUE(std::isinf(margin_tail(margins, 1).constant));
}

}  // namespace
}  // namespace otss
