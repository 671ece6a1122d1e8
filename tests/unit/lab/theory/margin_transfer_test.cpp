#include "lab/theory/margin_transfer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lab/worlds/truth.hpp"
#include "unit/lab/theory/random_families.hpp"

namespace otss {
namespace {

using namespace internal;

// One context, one factor per decision: scores are the weights.
const std::vector<double> kEachFactorOnce = {1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1};
const FeasibleSet kDecisions = FeasibleSet::of_library({}, 3, kEachFactorOnce);

TEST(MarginTransfer, KnowsRegretMarginAndPerturbationOfAContext) {
  const std::vector<double> truth = {5, 4, 1};
  const std::vector<double> estimate = {4, 4.5, 3};
  const ContextMargin m = context_margins(estimate, truth, kDecisions).at(0);
  EXPECT_DOUBLE_EQ(m.regret, 1);
  EXPECT_DOUBLE_EQ(m.margin, 1);
  EXPECT_DOUBLE_EQ(m.perturbation, 2);
  EXPECT_DOUBLE_EQ(m.bound(), 4);
}

TEST(MarginTransfer, AMarginBeyondTwiceThePerturbationLeavesNoRegretToBound) {
  const std::vector<double> truth = {5, 2.9, 1};
  const std::vector<double> estimate = {4, 3.9, 1};
  const ContextMargin m = context_margins(estimate, truth, kDecisions).at(0);
  EXPECT_EQ(m.regret, 0);
  EXPECT_EQ(m.bound(), 0);
}

TEST(MarginTransfer, IsTightWhenTheErrorLiftsTheSecondAndLowersTheBest) {
  const std::vector<double> truth = {5, 3, 0};
  const std::vector<double> estimate = {4 - 1e-9, 4 + 1e-9, 0};
  const MarginTransfer transfer = check_margin_transfer(estimate, truth, kDecisions);
  EXPECT_EQ(transfer.violations, 0u);
  EXPECT_DOUBLE_EQ(transfer.mean_regret, 2);
  EXPECT_NEAR(transfer.mean_bound, transfer.mean_regret, 1e-8);
}

TEST(MarginTransfer, HasNoMarginWhereTheBestIsNotUniqueAndAnEndlessOneWithoutAlternative) {
  const std::vector<double> truth = {5, 5, 1};
  EXPECT_EQ(context_margins(truth, truth, kDecisions).at(0).margin, 0);
  const std::vector<double> only = {1, 1, 1};
  EXPECT_TRUE(
      std::isinf(context_margins(truth, truth, FeasibleSet::of_library({}, 3, only)).at(0).margin));
}

TEST(MarginTransfer, HoldsInAThousandRandomConfigurations) {
  Rng rng(7101);
  for (int configuration = 0; configuration < 1000; ++configuration) {
    const int num_factors = 1 + static_cast<int>(rng.below(12));
    const std::size_t contexts = 1 + rng.below(10);
    const std::size_t num_decisions = 1 + rng.below(40);
    const bool own = rng.below(2) == 1;
    const auto factors =
        random_normals(rng, num_decisions * num_factors * (own ? contexts : 1), 3.0);
    const FeasibleSet decisions = own ? decisions_by_row(contexts, num_factors, factors)
                                      : FeasibleSet::of_library({}, num_factors, factors);
    const auto truth = random_normals(rng, contexts * num_factors, 1.0);
    // From errors lost in rounding to errors that drown the truth.
    const double error = std::pow(10, rng.uniform(-17, 2));
    auto estimate = random_normals(rng, contexts * num_factors, error);
    for (std::size_t i = 0; i < truth.size(); ++i) estimate[i] += truth[i];
    const MarginTransfer transfer = check_margin_transfer(estimate, truth, decisions);
    EXPECT_EQ(transfer.contexts, contexts);
    EXPECT_EQ(transfer.violations, 0u) << "configuration " << configuration;
    const TruthScore score = score_against_truth(estimate, truth, decisions);
    EXPECT_NEAR(transfer.mean_regret, score.regret, 1e-12);
  }
}

TEST(MarginTransfer, ForgivesRoundingWhereDecisionsTie) {
  // Two decisions with the same score in exact arithmetic, summed in another order.
  const std::vector<double> factors = {0.1, 0.2, 0.3, /**/ 0.3, 0.2, 0.1};
  const std::vector<double> truth = {7.7, 7.7, 7.7};
  const std::vector<double> estimate = {7.7, 7.7, 7.7000000000000002};
  EXPECT_EQ(
      check_margin_transfer(estimate, truth, FeasibleSet::of_library({}, 3, factors)).violations,
      0u);
}

TEST(MarginTransfer, CountsWeightsThatAreNotNumbers) {
  const std::vector<double> truth = {5, 4, 1, /**/ 5, 4, 1};
  std::vector<double> estimate = truth;
  estimate[4] = std::numeric_limits<double>::quiet_NaN();
  const MarginTransfer transfer = check_margin_transfer(estimate, truth, kDecisions);
  EXPECT_EQ(transfer.contexts, 2u);
  EXPECT_EQ(transfer.violations, 1u);
}

}  // namespace
}  // namespace otss
