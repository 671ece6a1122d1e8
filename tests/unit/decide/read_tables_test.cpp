// Libraries and candidate tables as users have them, and the words of the errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "otss/base/error.hpp"
#include "otss/decide/candidates.hpp"
#include "otss/decide/library.hpp"

namespace otss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ReadTables : public testing::Test {
 protected:
  ReadTables() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("otss-decide-") + test->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ReadTables() override { std::filesystem::remove_all(folder_); }

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

TEST_F(ReadTables, LibraryHasTheNamedColumnsInRowOrder) {
  const Library library = library_of("time,other,id,price\n1,x,007,2.5\n3,y,b,-4\n")();
  EXPECT_THAT(library.ids, ElementsAre("007", "b"));
  EXPECT_EQ(library.num_factors, 2);
  EXPECT_THAT(library.row(0), ElementsAre(2.5, 1));
  EXPECT_THAT(library.row(1), ElementsAre(-4, 3));
}

TEST_F(ReadTables, LibraryRefusesARepeatedId) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,1,2\na,3,4\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("row 3, column id"),
                                         HasSubstr("'a'"), HasSubstr("row 1"))));
}

TEST_F(ReadTables, LibraryRefusesToBeEmpty) {
  EXPECT_THAT(library_of("id,price,time\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("no rows"))));
}

TEST_F(ReadTables, LibraryNamesAMissingFactor) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,,2\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column price: missing")));
}

TEST_F(ReadTables, LibraryNamesAnInfiniteFactor) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\nb,1,inf\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column time: infinite")));
}

TEST_F(ReadTables, LibraryNamesAMissingId) {
  EXPECT_THAT(library_of("id,price,time\na,1,2\n,1,3\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column id: missing")));
}

TEST_F(ReadTables, LibraryRefusesAnUnknownColumn) {
  EXPECT_THAT(
      library_of("id,prise,time\na,1,2\n"),
      ThrowsMessage<Error>(AllOf(HasSubstr("table.csv"), HasSubstr("price"), HasSubstr("prise"))));
}

TEST_F(ReadTables, LibraryRefusesTextInAFactor) {
  EXPECT_THAT(
      library_of("id,price,time\na,1,2\nb,cheap,2\n"),
      ThrowsMessage<Error>(AllOf(HasSubstr("row 2"), HasSubstr("price"), HasSubstr("cheap"))));
}

TEST_F(ReadTables, CandidatesBelongToTheirContext) {
  Candidates candidates = candidates_of("who,id,price\nzoe,a,1\nmax,a,2\nzoe,b,3\n")();
  const std::vector<std::string> contexts = {"zoe", "max"};
  const auto sets = candidates.link(contexts);
  EXPECT_THAT(candidates.set(sets[0]), ElementsAre(0, 2));
  EXPECT_THAT(candidates.set(sets[1]), ElementsAre(1));
  EXPECT_THAT(candidates.rows().ids, ElementsAre("a", "a", "b"));
}

TEST_F(ReadTables, CandidatesRefuseAnIdTwiceForOneContext) {
  EXPECT_THAT(candidates_of("who,id,price\nzoe,a,1\nmax,a,2\nzoe,a,3\n"),
              ThrowsMessage<Error>(HasSubstr("row 3, column id: id 'a' is listed twice")));
}

TEST_F(ReadTables, CandidatesNameARowWithoutContext) {
  EXPECT_THAT(candidates_of("who,id,price\nzoe,a,1\n,a,2\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column who: missing")));
}

}  // namespace
}  // namespace otss
