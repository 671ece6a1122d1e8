#include "decide/prune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "decide/library_search.hpp"
#include "otss/decide/decider.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;
using Numbers = std::vector<double>;

SoftMixture two_experts(Numbers experts) {
  const int num_factors = static_cast<int>(experts.size() / 2);
  return SoftMixture(LinearGate(1, Numbers{1, -1}, Numbers{0, 0}), num_factors, std::move(experts));
}

std::vector<Decision> search_among(const FeasibleSet& library, std::vector<std::size_t> live,
                                   std::size_t rows, const Numbers& w, std::size_t top) {
  std::vector<Decision> found(rows * std::min(top, library.size()));
  LibrarySearch(library, std::move(live)).search(0, rows, w.data(), found);
  return found;
}

TEST(Prune, DropsWhatLosesUnderEveryExpert) {
  const SoftMixture mixture = two_experts({1, 0, 0, 1});
  const FeasibleSet library = library_of(2, {0, 0, 3, 3, 4, 1, 2, 2, 1, 4});
  EXPECT_THAT(prune(mixture, library, 1), ElementsAre(1, 2, 4));
  EXPECT_THAT(prune(mixture, library, 2), ElementsAre(1, 2, 3, 4));
}

TEST(Prune, KeepsTheFirstOfExactCopies) {
  const SoftMixture mixture = two_experts({1, 0, 0, 1});
  const FeasibleSet library = library_of(2, {1, 2, 2, 1, 1, 2, 1, 2});
  EXPECT_THAT(prune(mixture, library, 1), ElementsAre(0, 1));
  EXPECT_THAT(prune(mixture, library, 2), ElementsAre(0, 1, 2));
}

TEST(Prune, KeepsWhatIsBehindByNoMoreThanRounding) {
  const SoftMixture mixture = two_experts({1, 0, 0, 1});
  const FeasibleSet library = library_of(2, {1 + 1e-15, 1 + 1e-15, 1, 1});
  EXPECT_THAT(prune(mixture, library, 1), ElementsAre(0, 1));
}

TEST(Prune, LeavesFewOfManyDecisions) {
  Rng rng(21);
  const SoftMixture mixture = random_mixture(3, 10, 3, rng);
  const FeasibleSet library = library_of(10, normal_draws(10 * 20000, rng));
  EXPECT_LT(prune(mixture, library, 2).size(), 1000u);
}

// Many small problems of all kinds: random factors, coarse grids with copies and ties, experts that
// are equal.
TEST(Prune, NeverChangesADecision) {
  Rng rng(22);
  for (int instance = 0; instance < 400; ++instance) {
    const int num_factors = 1 + static_cast<int>(rng.below(4));
    const int num_experts = 1 + static_cast<int>(rng.below(4));
    const std::size_t size = 1 + rng.below(120);
    const SoftMixture mixture = random_mixture(2, num_factors, num_experts, rng);
    const FeasibleSet library =
        instance % 2 == 0 ? library_with_ties(size, num_factors, rng)
                          : library_of(num_factors, normal_draws(size * num_factors, rng));
    const std::size_t rows = 40;
    Numbers w(rows * num_factors);
    mixture.weights(rows, normal_draws(rows * 2, rng), w);
    for (const std::size_t top : {1, 2, 3, 7}) {
      std::vector<std::size_t> all(size);
      std::iota(all.begin(), all.end(), std::size_t{0});
      const auto live = prune(mixture, library, std::max<std::size_t>(top, 2));
      const auto expected = search_among(library, all, rows, w, top);
      const auto found = search_among(library, live, rows, w, top);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(found[i].index, expected[i].index) << "instance " << instance << ", top " << top;
        ASSERT_EQ(found[i].score, expected[i].score);
        if (size > 1) {
          ASSERT_EQ(found[i].margin, expected[i].margin);
        }
      }
    }
  }
}

TEST(Decider, PrunesALargeLibraryWithoutChangingItsDecisions) {
  Rng rng(23);
  const SoftMixture map = random_mixture(4, 5, 3, rng);
  for (const FeasibleSet& library :
       {library_of(5, normal_draws(5 * 3000, rng)), library_with_ties(3000, 5, rng)}) {
    const std::size_t rows = 500;
    const Numbers x = normal_draws(rows * 4, rng);
    for (const int top : {1, 4}) {
      const Decider pruned(map, library, {.top = top});
      const Decider whole(map, library, {.top = top, .prune = false});
      EXPECT_LT(pruned.num_live(), library.size() / 2);
      EXPECT_EQ(whole.num_live(), library.size());
      const auto expected = whole.decide({rows, x});
      const auto found = pruned.decide({rows, x});
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(found[i].index, expected[i].index);
        ASSERT_EQ(found[i].score, expected[i].score);
        ASSERT_EQ(found[i].margin, expected[i].margin);
      }
    }
  }
}

}  // namespace
}  // namespace otss
