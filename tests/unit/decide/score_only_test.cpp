// Deciding with a model that has scores but no weights.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "model/maps/tree_scorer.hpp"
#include "otss/decide/decider.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

// A weight map that hides its weights.
class ScoresOf final : public Scorer {
 public:
  explicit ScoresOf(const WeightMap& map) : map_(map) {}
  int num_contexts() const override { return map_.num_contexts(); }
  int num_factors() const override { return map_.num_factors(); }
  double score(std::span<const double> x, std::span<const double> z) const override {
    return map_.score(x, z);
  }

 private:
  const WeightMap& map_;
};

void expect_same(const std::vector<Decision>& a, const std::vector<Decision>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::tuple(a[i].row, a[i].rank, a[i].index),
              std::tuple(b[i].row, b[i].rank, b[i].index));
    EXPECT_NEAR(a[i].score, b[i].score, 1e-12);
    if (!std::isnan(a[i].margin)) {
      EXPECT_NEAR(a[i].margin, b[i].margin, 1e-12);
    }
    EXPECT_EQ(std::isnan(a[i].margin), std::isnan(b[i].margin));
  }
}

TEST(DecideByScores, RanksAsTheSameWeightsWouldTiesIncluded) {
  Rng rng(4);
  const SoftMixture map = random_mixture(3, 2, 2, rng);
  const ScoresOf scores(map);
  const std::vector<double> x = normal_draws(100 * 3, rng);
  for (const std::size_t size : {1, 2, 40}) {
    const FeasibleSet library = library_with_ties(size, 2, rng);
    for (const int top : {1, 2, 5}) {
      const DecideOptions options{.top = top, .num_threads = 2};
      expect_same(decide(scores, {100, x}, library, options),
                  decide(map, {100, x}, library, options));
    }
  }
}

TEST(DecideByScores, RanksCandidatesToo) {
  Rng rng(5);
  const SoftMixture map = random_mixture(1, 2, 2, rng);
  const ScoresOf scores(map);
  const std::vector<std::string> owners{"a", "b", "a", "b", "b"};
  const FeasibleSet candidates = candidates_of(owners, library_of(2, normal_draws(10, rng)));
  const std::vector<std::string> ids{"b", "a"};
  const std::vector<double> x{0.3, -1};
  const Contexts contexts{2, x, ids};
  for (const int top : {1, 3}) {
    expect_same(decide(scores, contexts, candidates, {.top = top}),
                decide(map, contexts, candidates, {.top = top}));
  }
}

TEST(DecideByScores, GivesEqualLeavesToTheEarlierRow) {
  const TreeScorer trees(0, 1, {{{0, 2.5, 1, 2}, {TreeNode::kLeaf, -1}, {TreeNode::kLeaf, 1}}});
  const auto found = decide(trees, {1}, library_of(1, {1, 4, 3}), {.top = 3});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(std::tuple(found[0].index, found[0].score, found[0].margin), std::tuple(1u, 1.0, 0.0));
  EXPECT_EQ(std::tuple(found[1].index, found[1].score, found[1].margin), std::tuple(2u, 1.0, 0.0));
  EXPECT_EQ(std::tuple(found[2].index, found[2].score, found[2].margin),
            std::tuple(0u, -1.0, -2.0));
}

}  // namespace
}  // namespace otss
