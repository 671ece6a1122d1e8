// Libraries and candidate tables as users have them, and the words of the errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"

namespace otss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ReadFeasibleSet : public testing::Test {
 protected:
  ReadFeasibleSet() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("otss-feasible-") + test->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ReadFeasibleSet() override { std::filesystem::remove_all(folder_); }

  TableReader reader(const std::string& text) {
    const auto path = folder_ / "table.csv";
    std::ofstream(path) << text;
    return TableReader({path.string(), ""});
  }

  auto library_of(const std::string& text) {
    return [this, text] { return read_library(reader(text), "id", {"price", "time"}); };
  }
  auto candidates_of(const std::string& text) {
    return [this, text] { return read_candidates(reader(text), "who", "id", {"price"}); };
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ReadFeasibleSet, LibraryHasTheNamedColumnsInRowOrder) {
  const FeasibleSet library = library_of("time,other,id,price\n1,x,007,2.5\n3,y,b,-4\n")();
  EXPECT_TRUE(library.is_shared());
  EXPECT_EQ(library.id(0), "007");
  EXPECT_EQ(library.id(1), "b");
  EXPECT_EQ(library.num_factors(), 2);
  EXPECT_THAT(library.factors_of(0), ElementsAre(2.5, 1));
  EXPECT_THAT(library.factors_of(1), ElementsAre(-4, 3));
}

TEST_F(ReadFeasibleSet, LibraryRefusesARepeatedId) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,1,2\na,3,4\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("row 3, column id"),
                                         HasSubstr("'a'"), HasSubstr("row 1"))));
}

TEST_F(ReadFeasibleSet, LibraryRefusesToBeEmpty) {
  EXPECT_THAT(library_of("id,price,time\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("no rows"))));
}

TEST_F(ReadFeasibleSet, LibraryNamesAMissingFactor) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,,2\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column price: the value is missing")));
}

TEST_F(ReadFeasibleSet, LibraryNamesAnInfiniteFactor) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,1,inf\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column time: the value is infinite")));
}

TEST_F(ReadFeasibleSet, LibraryNamesAMissingId) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\n,1,3\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column id: the value is missing")));
}

TEST_F(ReadFeasibleSet, LibraryRefusesAnUnknownColumn) {
  EXPECT_THAT(
      library_of("id,prise,time\na,1,2\n"),
      ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("price"), HasSubstr("prise"))));
}

TEST_F(ReadFeasibleSet, LibraryRefusesTextInAFactor) {
  EXPECT_THAT(
      library_of("id,price,time\na,1,2\nb,cheap,2\n"),
      ThrowsMessage<Error>(AllOf(HasSubstr("row 2"), HasSubstr("price"), HasSubstr("cheap"))));
}

TEST_F(ReadFeasibleSet, CandidatesBelongToTheirContext) {
  const FeasibleSet candidates = candidates_of("who,id,price\nzoe,a,1\nmax,a,2\nzoe,b,3\n")();
  EXPECT_THAT(candidates.of("zoe").rows(), ElementsAre(0, 2));
  EXPECT_THAT(candidates.of("max").rows(), ElementsAre(1));
  EXPECT_EQ(candidates.of("zoe").id(1), "b");
  EXPECT_EQ(candidates.context_id(), "who");
}

TEST_F(ReadFeasibleSet, NeedsNoIdsForCentring) {
  const FeasibleSet library = read_library(reader("price\n1\n3\n"), "", {"price"});
  EXPECT_EQ(library.id(0), "");
  EXPECT_THAT(library.of("anyone").mean_factors(), ElementsAre(2));
  const FeasibleSet candidates =
      read_candidates(reader("who,price\nzoe,1\nmax,2\nzoe,1\n"), "who", "", {"price"});
  EXPECT_EQ(candidates.of("zoe").size(), 2U);
  EXPECT_THAT([&] { read_library(reader("price\n1\n"), "", {"prise"}); },
              ThrowsMessage<Error>(HasSubstr("--center-factors")));
}

TEST_F(ReadFeasibleSet, CandidatesRefuseAnIdTwiceForOneContext) {
  EXPECT_THAT(candidates_of("who,id,price\nzoe,a,1\nmax,a,2\nzoe,a,3\n"),
              ThrowsMessage<Error>(HasSubstr("row 3, column id: id 'a' is listed twice")));
}

TEST_F(ReadFeasibleSet, CandidatesNameARowWithoutContext) {
  EXPECT_THAT(candidates_of("who,id,price\nzoe,a,1\n,a,2\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column who: the value is missing")));
}

}  // namespace
}  // namespace otss
