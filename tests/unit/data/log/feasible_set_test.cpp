#include "otss/data/feasible_set.hpp"

#include <numeric>

#include "data/log/tile_matrix.hpp"
#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using testing::ElementsAre;
using testing::HasSubstr;

const Roles kRoles{.contexts = {"x"}, .factors = {"price", "size"}, .outcome = "y"};

// Eight rows of two customers, whose candidates differ in level.
std::string write_log(const Folder& folder) {
  return folder.write("log.csv",
                      "who,x,price,size,y\n"
                      "a,1,10,1,0\na,2,14,2,1\nb,3,101,7,0\nb,4,99,9,1\n"
                      "a,5,12,3,1\nb,6,104,8,0\na,7,11,5,1\nb,8,100,6,0\n");
}
std::string write_candidates(const Folder& folder) {
  return folder.write("candidates.csv",
                      "who,id,price,size\na,p,10,1\na,q,14,3\nb,p,100,7\nb,q,104,9\nb,r,99,8\n");
}

using Ids = std::vector<std::string>;

FeasibleSet numbered(const Ids& contexts) {
  std::vector<double> factors(contexts.size());
  std::iota(factors.begin(), factors.end(), 1.0);
  return FeasibleSet::of_candidates(contexts, {}, 1, factors, "cand.csv");
}

TEST(FeasibleSet, KeepsTheOrderOfItsTableWithinEachContext) {
  const FeasibleSet candidates = numbered({"b", "a", "b", "a", "b"});
  EXPECT_FALSE(candidates.is_shared());
  EXPECT_EQ(candidates.size(), 5U);
  EXPECT_EQ(candidates.num_contexts(), 2U);
  EXPECT_THAT(candidates.of("a").rows(), ElementsAre(1, 3));
  EXPECT_THAT(candidates.of("b").rows(), ElementsAre(0, 2, 4));
  EXPECT_THAT(candidates.at(0).rows(), ElementsAre(0, 2, 4));
  EXPECT_THAT(candidates.of("b").factors(2), ElementsAre(5));
}

TEST(FeasibleSet, OfALibraryIsTheSameForEverybody) {
  const FeasibleSet library = FeasibleSet::of_library({"p", "q"}, 2, {1, 2, 3, 6});
  EXPECT_TRUE(library.is_shared());
  for (const ContextDecisions& open : {library.of("anyone"), library.at(7)}) {
    EXPECT_THAT(open.rows(), ElementsAre(0, 1));
    EXPECT_EQ(open.id(1), "q");
    EXPECT_THAT(open.mean_factors(), ElementsAre(2, 4));
  }
}

TEST(FeasibleSet, NamesAContextThatHasNoCandidates) {
  const FeasibleSet candidates = numbered({"a"});
  EXPECT_FALSE(candidates.number_of("zoe").has_value());
  EXPECT_THAT(error_of([&] { candidates.of("zoe"); }),
              HasSubstr("cand.csv: context 'zoe' has no candidates"));
}

TEST(FeasibleSet, RefusesSizesThatDoNotMatch) {
  EXPECT_THAT(
      error_of([] {
        FeasibleSet::of_library({"p"}, 2, {1, 2, 3, 4});
      }),
      HasSubstr("the library: the numbers of ids (1), values (4) and factors (2) do not match"));
  EXPECT_THAT(error_of([] {
                FeasibleSet::of_candidates(Ids{"a"}, {}, 1, {1, 2});
              }),
              HasSubstr("the numbers of contexts (1) and candidates (2) differ"));
}

TEST(FeasibleSet, CopiesShareTheirTable) {
  const FeasibleSet library = FeasibleSet::of_library({}, 1, {1, 2});
  const FeasibleSet copy = library;
  EXPECT_EQ(copy.factors().data(), library.factors().data());
}

TEST(CandidateUse, CountsTheRowsOfContextsThatDoNotOccur) {
  CandidateUse use(numbered({"a", "b", "c", "b"}));
  use.add(Ids{"a", "a"});
  EXPECT_EQ(use.num_unused_rows(), 3U);
  use.add(Ids{"b"});
  EXPECT_EQ(use.num_unused_rows(), 1U);
  EXPECT_EQ(CandidateUse(FeasibleSet::of_library({}, 1, {1, 2})).num_unused_rows(), 0U);
}

TEST(FeasibleSet, HasTheMeanFactorsOfEachContextsCandidates) {
  const Folder folder;
  const FeasibleSet candidates =
      read_candidates(write_candidates(folder), "who", "id", kRoles.factors);
  EXPECT_THAT(candidates.of("a").mean_factors(), ElementsAre(12, 2));
  EXPECT_THAT(candidates.of("b").mean_factors(), ElementsAre(101, 8));
}

TEST(CenteredLog, HasTheFactorsOfALogWhoseFactorsWereCenteredByHand) {
  const Folder folder;
  const FeasibleSet candidates =
      read_candidates(write_candidates(folder), "who", "", kRoles.factors);
  const LoggedData log = read_centered_log(write_log(folder), kRoles, candidates);
  const LoggedData by_hand = read_log(
      TableSource{write_log(folder),
                  "SELECT who, x, y, price - CASE who WHEN 'a' THEN 12 ELSE 101 END AS price, "
                  "size - CASE who WHEN 'a' THEN 2 ELSE 8 END AS size FROM t"},
      kRoles);
  EXPECT_EQ(log.encoder(), by_hand.encoder());
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    for (int c = 0; c < 3; ++c) EXPECT_EQ(log.features().at(i, c), by_hand.features().at(i, c));
  }
  EXPECT_EQ(log.roles().centered_by, "who");
}

TEST(CenteredLog, RefusesCandidatesReadWithOtherFactors) {
  const Folder folder;
  const FeasibleSet candidates = read_candidates(write_candidates(folder), "who", "", {"price"});
  EXPECT_THAT(error_of([&] { read_centered_log(write_log(folder), kRoles, candidates); }),
              HasSubstr("1 factors, but the log has 2"));
}

TEST(CenteredLog, DoesNotTakeTheContextsNameForAContext) {
  const Folder folder;
  const FeasibleSet candidates =
      read_candidates(write_candidates(folder), "who", "", kRoles.factors);
  Roles all = kRoles;
  all.contexts = {"all"};
  const LoggedData log = read_centered_log(write_log(folder), all, candidates);
  EXPECT_THAT(log.roles().contexts, testing::ElementsAre("x"));
}

}  // namespace
}  // namespace otss
