// Several ranks, which are threads here, read and write one table.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "base/ranks/spool.hpp"
#include "otss/data/table.hpp"
#include "unit/base/thread_ranks.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::test {

using namespace internal;
using testing::HasSubstr;

namespace {

constexpr std::size_t kSharedRows = 10'000;

// A table of three files with 10,000 rows; the second file has none.
class SharedTable : public testing::Test {
 protected:
  SharedTable() {
    for (const auto& [name, first, end] :
         {std::tuple{"a.csv", 0, 3001}, {"b.csv", 3001, 3001}, {"c.csv", 3001, 10'000}}) {
      std::string text = "number,name\n";
      for (int i = first; i < end; ++i) text += fmt::format("{},t{}\n", i, i);
      folder_.write(name, text);
    }
    folder_.convert(folder_.path("a.csv"), "a.parquet");
    folder_.convert(folder_.path("c.csv"), "c.parquet");
  }

  // Returns the numbers that each rank reads. The names must be in the same rows, and row numbers
  // must be those of the whole table.
  std::vector<std::vector<double>> read_by(int size, const std::string& pattern, int threads,
                                           std::size_t unit) const {
    std::vector<std::vector<double>> numbers(size);
    on_ranks(size, [&](Ranks& ranks) {
      TableReader reader(TableSource{.path = folder_.path(pattern), .threads = threads});
      const RowShare share = reader.share(ranks, unit);
      EXPECT_EQ(share.num_all_rows, kSharedRows);
      EXPECT_EQ(share.rows.first % unit, 0);
      auto& own = numbers[ranks.rank()];
      reader.read_in_parallel(
          {{"number"}, {"name", true}}, [&](const TableChunk& chunk) -> std::function<void()> {
            std::vector<double> found(chunk.columns[0].numbers.begin(),
                                      chunk.columns[0].numbers.end());
            EXPECT_EQ(chunk.columns[1].texts.front(), fmt::format("t{}", chunk.first_row));
            return [&own, found] { own.insert(own.end(), found.begin(), found.end()); };
          });
      EXPECT_EQ(own.size(), share.rows.end - share.rows.first);
    });
    return numbers;
  }

  Folder folder_;
};

TEST_F(SharedTable, RowsAreReadOnceAndInTheirOrder) {
  for (const char* pattern : {"?.csv", "?.parquet"}) {
    for (const int threads : {1, 2}) {
      std::vector<double> all;
      for (const auto& of_rank : read_by(3, pattern, threads, 1))
        all.insert(all.end(), of_rank.begin(), of_rank.end());
      ASSERT_EQ(all.size(), kSharedRows);
      for (std::size_t i = 0; i < kSharedRows; ++i) ASSERT_EQ(all[i], static_cast<double>(i));
    }
  }
}

TEST_F(SharedTable, SharesBeginAtMultiplesOfAUnit) {
  const auto numbers = read_by(2, "?.csv", 1, 4096);
  EXPECT_EQ(numbers[0].size(), 4096);
  EXPECT_EQ(numbers[1].size(), kSharedRows - 4096);
}

TEST_F(SharedTable, RowsOfAllRanksAreWrittenToOneFile) {
  for (const char* name : {"out.csv", "out.json", "out.parquet"}) {
    const std::string whole = folder_.convert(folder_.path("?.csv"), name);
    const std::string expected = read_file(whole);
    std::filesystem::remove(whole);
    on_ranks(3, [&](Ranks& ranks) {
      TableReader reader(TableSource{.path = folder_.path("?.csv"), .threads = 1});
      TableWriter writer(whole, reader.columns(), 1, ExistingTable::kRefuse, &ranks);
      reader.share(ranks);
      reader.read({{"number"}, {"name", true}},
                  [&](const TableChunk& chunk) { writer.write(chunk); });
      writer.commit();
    });
    EXPECT_EQ(read_file(whole), expected) << name;
  }
}

TEST_F(SharedTable, ErrorsNameTheRowOfTheFile) {
  folder_.write("d.csv", "number,name\n1,t\n2,t\nthree,t\n");
  on_ranks(2, [&](Ranks& ranks) {
    TableReader reader(TableSource{.path = folder_.path("[acd].csv"), .threads = 1});
    reader.share(ranks);
    if (ranks.rank() == 0) return;
    EXPECT_THAT(error_of([&] { reader.read({{"number"}}, [](const TableChunk&) {}); }),
                testing::AllOf(HasSubstr("'three'"), HasSubstr("row 3 of"), HasSubstr("d.csv")));
  });
}

TEST_F(SharedTable, WhatCannotBeSharedIsRefused) {
  on_ranks(1, [&](Ranks& ranks) {
    TableReader asked(TableSource{.path = folder_.path("a.csv"), .query = "SELECT * FROM t"});
    EXPECT_THAT(error_of([&] { asked.share(ranks); }), HasSubstr("without --query"));
    TableReader json(folder_.convert(folder_.path("a.csv"), "a.json"));
    EXPECT_THAT(error_of([&] { json.share(ranks); }), HasSubstr("only CSV and Parquet files"));
  });
  on_ranks(2, [&](Ranks& ranks) {
    TableReader reader(folder_.path("a.csv"));
    EXPECT_THAT(error_of([&] { reader.share(ranks, 8192); }), HasSubstr("at most 1 ranks"));
  });
}

TEST(Spool, ReturnsItsMessagesInTheirOrder) {
  Spool spool;
  const std::string large(3'000'000, 'x');
  for (const std::string& message : {std::string("first"), large, std::string("last")})
    spool.add(message);
  EXPECT_EQ(spool.next(), "first");
  EXPECT_EQ(spool.next(), large);
  EXPECT_EQ(spool.next(), "last");
  EXPECT_EQ(spool.next(), "");
}

}  // namespace
}  // namespace otss::test
