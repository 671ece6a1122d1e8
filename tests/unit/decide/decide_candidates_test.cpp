// Deciding where every context has decisions of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "otss/base/error.hpp"
#include "otss/decide/decider.hpp"
#include "unit/decide/tables.hpp"

namespace otss {
namespace {

using namespace internal;

using Ids = std::vector<std::string>;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(DecideAmongCandidates, ChoosesFromEachContextsOwnSet) {
  const SoftMixture map(LinearGate(0, std::vector<double>{}, std::vector<double>{0}), 1, {1.0});
  const FeasibleSet candidates =
      candidates_of({"b", "a", "b", "a", "b"}, library_of(1, {1, 2, 3, 4, 3}));
  const auto found = decide(map, {2, {}, Ids{"a", "b"}}, candidates, {.top = 2});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].index, 3u);
  EXPECT_EQ(found[0].margin, 2);
  EXPECT_EQ(found[1].index, 1u);
  EXPECT_EQ(found[2].index, 2u);
  EXPECT_EQ(found[2].row, 1u);
  EXPECT_EQ(found[2].margin, 0);
  EXPECT_EQ(found[3].index, 4u);
  EXPECT_EQ(found[3].rank, 2);
}

TEST(DecideAmongCandidates, GivesEachContextAsManyAsItHas) {
  const SoftMixture map(LinearGate(0, std::vector<double>{}, std::vector<double>{0}), 1, {1.0});
  const FeasibleSet candidates = candidates_of({"a", "b", "b"}, library_of(1, {7, 1, 2}));
  const auto found = decide(map, {2, {}, Ids{"b", "a"}}, candidates, {.top = 5});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2].index, 0u);
  EXPECT_TRUE(std::isnan(found[2].margin));
}

TEST(DecideAmongCandidates, NamesAContextThatHasNone) {
  const SoftMixture map(LinearGate(0, std::vector<double>{}, std::vector<double>{0}), 1, {1.0});
  const FeasibleSet candidates = candidates_of({"a"}, library_of(1, {1}));
  EXPECT_THAT(
      [&] {
        decide(map, {2, {}, Ids{"a", "zoe"}}, candidates);
      },
      ThrowsMessage<Error>(HasSubstr("cand.csv: context 'zoe' has no candidates")));
}

TEST(DecideAmongCandidates, AsksForTheIdsOfTheContexts) {
  const SoftMixture map(LinearGate(0, std::vector<double>{}, std::vector<double>{0}), 1, {1.0});
  EXPECT_THAT([&] { decide(map, {2}, candidates_of({"a"}, library_of(1, {1}))); },
              ThrowsMessage<Error>(HasSubstr("2 contexts and 0 context ids")));
}

TEST(DecideAmongCandidates, AgreesWithALibraryOfTheSameDecisions) {
  Rng rng(41);
  const SoftMixture map = random_mixture(3, 4, 2, rng);
  const FeasibleSet library = library_with_ties(37, 4, rng);
  const std::size_t rows = 130;
  const FeasibleSet candidates = candidates_of(Ids(37, "all"), library);
  const Ids ids(rows, "all");
  const auto x = normal_draws(rows * 3, rng);
  for (const int top : {1, 3}) {
    const auto expected = decide(map, {rows, x}, library, {.top = top});
    const auto found = decide(map, {rows, x, ids}, candidates, {.top = top, .num_threads = 3});
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].row, expected[i].row);
      EXPECT_EQ(found[i].index, expected[i].index);
      EXPECT_EQ(found[i].score, expected[i].score);
      EXPECT_EQ(found[i].margin, expected[i].margin);
    }
  }
}

}  // namespace
}  // namespace otss
