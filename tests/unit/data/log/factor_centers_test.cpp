#include "otss/data/factor_centers.hpp"

#include "data/log/tile_matrix.hpp"
#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

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

TEST(FactorCenters, AreTheMeansOfEachContextsCandidates) {
  const Folder folder;
  const auto centers = FactorCenters::of_candidates(TableReader({write_candidates(folder), ""}),
                                                    "who", kRoles.factors);
  EXPECT_THAT(centers.of("a"), testing::ElementsAre(12, 2));
  EXPECT_THAT(centers.of("b"), testing::ElementsAre(101, 8));
  EXPECT_THAT(error_of([&] { centers.of("c"); }), HasSubstr("no candidates for context 'c'"));
}

TEST(FactorCenters, OfALibraryAreItsMeans) {
  const Folder folder;
  const auto centers =
      FactorCenters::of_library(TableReader({write_candidates(folder), ""}), kRoles.factors);
  EXPECT_THAT(centers.of("anyone"), testing::ElementsAre(65.4, 5.6));
}

TEST(CenteredLog, HasTheFactorsOfALogWhoseFactorsWereCenteredByHand) {
  const Folder folder;
  const auto centers = FactorCenters::of_candidates(TableReader({write_candidates(folder), ""}),
                                                    "who", kRoles.factors);
  const LoggedData log = read_centered_log({write_log(folder), ""}, kRoles, centers);
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

TEST(CenteredLog, DoesNotTakeTheContextsNameForAContext) {
  const Folder folder;
  const auto centers = FactorCenters::of_candidates(TableReader({write_candidates(folder), ""}),
                                                    "who", kRoles.factors);
  Roles all = kRoles;
  all.contexts = {"all"};
  const LoggedData log = read_centered_log({write_log(folder), ""}, all, centers);
  EXPECT_THAT(log.roles().contexts, testing::ElementsAre("x"));
}

}  // namespace
}  // namespace otss
