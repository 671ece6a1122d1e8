#include "model/maps/any_scorer.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

using Vector = std::vector<double>;

AnyScorer mixture() {
  return std::make_shared<SoftMixture>(LinearGate(1, {1, -1}, {0, 0}), 2, Vector{1, 2, 3, 4});
}

AnyScorer linear() { return std::make_shared<LinearWeights>(1, Vector{1, 2}, Vector{3, 4}); }

AnyScorer network() {
  return std::make_shared<NetworkWeights>(Network{1, 2, {2}, {.5}, {1, -1}, {.1, .3}});
}

AnyScorer trees() {
  const Tree tree{{2, .5, 1, 2}, {TreeNode::kLeaf, -1}, {TreeNode::kLeaf, 1}};
  return std::make_shared<TreeScorer>(1, 2, std::vector<Tree>{tree});
}

TEST(AnyScorer, KnowsWhatElseItIs) {
  for (const AnyScorer& map : {mixture(), linear(), network()})
    EXPECT_EQ(as_scorer(map).as_weight_map(), &as_scorer(map));
  EXPECT_EQ(as_scorer(trees()).as_weight_map(), nullptr);
  const AnyScorer experts = mixture();
  EXPECT_EQ(as_scorer(experts).as_mixture(), as_soft_mixture(experts).get());
  for (const AnyScorer& other : {linear(), network(), trees()}) {
    EXPECT_EQ(as_scorer(other).as_mixture(), nullptr);
    EXPECT_EQ(as_soft_mixture(other), nullptr);
  }
}

TEST(AnyScorer, SpeaksOfOtherUnitsWithTheSameWeightsPerUnit) {
  const Vector centers{100, -3}, scales{2, 10}, x{.6};
  for (const AnyScorer& map : {mixture(), linear(), network()}) {
    const AnyScorer in_other = in_units(map, centers, scales);
    Vector w(2), scaled(2);
    as_scorer(map).as_weight_map()->weights(x, w);
    as_scorer(in_other).as_weight_map()->weights(x, scaled);
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(scaled[j], w[j] / scales[j], 1e-15);
  }
}

TEST(AnyScorer, ScoresTheSameDecisionInOtherUnitsWithTrees) {
  const AnyScorer in_other = in_units(trees(), Vector{100, -3}, Vector{2, 10});
  for (const double z : {-1.0, .4, .6, 7.0}) {
    EXPECT_EQ(as_scorer(in_other).score(Vector{0}, Vector{0, z * 10 - 3}),
              as_scorer(trees()).score(Vector{0}, Vector{0, z}));
  }
}

}  // namespace
}  // namespace otss
