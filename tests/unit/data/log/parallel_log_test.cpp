// Logs that are read on several threads.
#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>

#include "data/log/text_codes.hpp"
#include "data/log/tile_matrix.hpp"
#include "data/table/duckdb/connection.hpp"
#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kRows = 20'001;  // the last strip is short

// A log with every kind of column. `late` is missing in the first 12,000 rows, so its shift comes
// from a strip in the middle. `person` is a group with many values, in no order.
std::string log_sql(const char* more = "") {
  return fmt::format(
      "SELECT (hash(i) % 1000003) / 1000003.0 AS x, CASE WHEN i % 11 > 0 THEN 1e9 + i END AS age, "
      "CASE WHEN i > 12000 THEN 5e6 + i % 1000 END AS late, "
      "CASE WHEN i % 13 > 0 THEN concat('r', hash(i, 'r') % 30) END AS region, "
      "concat('s', hash(i, 's') % 25) AS shop, (hash(i, 'z') % 1000003) / 1000003.0 AS z1, "
      "(hash(i, 'w') % 997) / 7.0 AS z2, (hash(i, 'y') % 2)::INTEGER AS y, "
      "1 + (hash(i, 'v') % 1009) / 3.0 AS v, concat('p', hash(i, 'p') % 9001) AS person, "
      "hash(i, 'q') % 5003 AS number, i * 60 AS t {} FROM range({}) r(i)",
      more, kRows);
}

std::vector<std::string> many_forms(const Folder& folder, const std::string& sql) {
  duck::Connection connection(2);
  const auto copy = [&](const char* name, const char* options) {
    connection.execute(fmt::format("COPY ({}) TO '{}' ({})", sql, folder.path(name), options));
    return folder.path(name);
  };
  return {copy("many.parquet", "FORMAT parquet, ROW_GROUP_SIZE 2048"),
          copy("four.parquet", "FORMAT parquet, ROW_GROUP_SIZE 6144"), copy("t.csv", "FORMAT csv"),
          copy("t.csv.gz", "FORMAT csv, COMPRESSION gzip")};
}

void expect_same(const LoggedData& one, const LoggedData& other) {
  EXPECT_EQ(one.encoder(), other.encoder());
  EXPECT_EQ(one.fingerprint(), other.fingerprint());
  EXPECT_EQ(one.notes(), other.notes());
  EXPECT_TRUE(std::ranges::equal(one.outcomes(), other.outcomes()));
  EXPECT_TRUE(std::ranges::equal(one.weights(), other.weights()));
  EXPECT_TRUE(std::ranges::equal(one.groups(), other.groups()));
  EXPECT_TRUE(std::ranges::equal(one.times(), other.times()));
  ASSERT_EQ(one.features().num_tiles(), other.features().num_tiles());
  for (std::size_t tile = 0; tile < one.features().num_tiles(); ++tile) {
    ASSERT_TRUE(std::equal(one.features().tile(tile),
                           one.features().tile(tile) + one.features().tile_size(),
                           other.features().tile(tile)))
        << "tile " << tile;
  }
}

TEST(LogsOnThreads, AreTheSameBitsForAnyNumberOfThreadsAndAnyFile) {
  const Folder folder;
  Roles roles = {.contexts = {"x", "age", "late", "region", "shop"},
                 .factors = {"z1", "z2", "z1*z2"},
                 .outcome = "y"};
  for (const char* group : {"person", "number"}) {
    roles.group = group;
    roles.time = "t";
    const std::vector<std::string> paths = many_forms(folder, log_sql());
    const LoggedData one = read_log(TableSource{.path = paths[0], .threads = 1}, roles);
    EXPECT_EQ(one.num_rows(), static_cast<std::size_t>(kRows));
    EXPECT_FALSE(one.encoder().level_pairs.empty());
    for (const std::string& path : paths) {
      for (const int threads : {1, 2, 7})
        expect_same(one, read_log(TableSource{.path = path, .threads = threads}, roles));
    }
    roles.weight = "v";  // for the second group column
  }
}

TEST(LogsOnThreads, NameTheFirstOfSeveralBadRows) {
  const Folder folder;
  const Roles roles = {.contexts = {"x", "region"}, .factors = {"z1", "bad"}, .outcome = "y"};
  const std::string sql = log_sql(", CASE WHEN i NOT IN (15000, 15005, 19999) THEN z2 END AS bad");
  for (const std::string& path : many_forms(folder, sql)) {
    for (const int threads : {1, 2, 7}) {
      EXPECT_THAT(error_of([&] { read_log(TableSource{.path = path, .threads = threads}, roles); }),
                  HasSubstr("factor 'bad' is missing in row 15001"));
    }
  }
}

TEST(LogsOnThreads, NameTheFileOfABadRow) {
  const Folder folder;
  duck::Connection connection(2);
  for (int part = 0; part < 3; ++part) {
    connection.execute(fmt::format(
        "COPY (SELECT i % 5 AS x, (i * 7) % 11 AS z, CASE WHEN {} = 1 AND i = 9000 THEN 3 ELSE i % "
        "2 END AS y FROM range(10001) r(i)) TO '{}' (FORMAT parquet, ROW_GROUP_SIZE 2048)",
        part, folder.path(fmt::format("part{}.parquet", part))));
  }
  const Roles roles = {.contexts = {"x"}, .factors = {"z"}, .outcome = "y"};
  for (const int threads : {1, 2, 7}) {
    const TableSource source{.path = folder.path("part*.parquet"), .threads = threads};
    EXPECT_THAT(error_of([&] { read_log(source, roles); }),
                HasSubstr("row 9001 of '" + folder.path("part1.parquet")));
  }
}

TEST(LogsOnThreads, RefuseTextsWithTooManyLevelsInTheSameWords) {
  const Folder folder;
  const Roles roles = {.contexts = {"name"}, .factors = {"z1"}, .outcome = "y"};
  const std::string sql = log_sql(", concat('n', i % 3000) AS name");
  for (const std::string& path : many_forms(folder, sql)) {
    for (const int threads : {1, 7}) {
      EXPECT_THAT(error_of([&] { read_log(TableSource{.path = path, .threads = threads}, roles); }),
                  HasSubstr("context 'name' has more than 1000 different texts"));
    }
  }
}

TEST(LogsOnThreads, ReadStandardInput) {
  const Folder folder;
  const Roles roles = {.contexts = {"x", "region"}, .factors = {"z1", "z2"}, .outcome = "y"};
  const std::string file = many_forms(folder, log_sql())[2];
  const LoggedData from_file = read_log(TableSource{.path = file, .threads = 1}, roles);
  const int saved = dup(STDIN_FILENO);
  const int input = open(file.c_str(), O_RDONLY);
  dup2(input, STDIN_FILENO);
  expect_same(from_file, read_log(TableSource{.path = "-", .threads = 7}, roles));
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(input);
}

TEST(SharedTextCodes, SortTextsByTheirFirstRowsWhateverTheOrderOfTheParts) {
  SharedTextCodes codes;
  const std::vector<std::string_view> late = {"b", "c", {}, "b"};
  const std::vector<std::string_view> early = {"a", "c"};
  std::vector<std::uint32_t> found(4);
  EXPECT_EQ(codes.add(late, 2, found), 2U);
  EXPECT_THAT(found, ElementsAre(0U, 1U, kNoCode, 0U));
  found.resize(2);
  EXPECT_EQ(codes.add(early, 0, found), 3U);
  EXPECT_THAT(found, ElementsAre(2U, 1U));
  const auto sorted = codes.sorted();
  EXPECT_THAT(sorted.texts, ElementsAre("a", "c", "b"));
  EXPECT_THAT(sorted.codes, ElementsAre(2U, 1U, 0U));
  EXPECT_EQ(sorted.levels[1].first_row, 1U);
  EXPECT_EQ(sorted.levels[1].num_rows, 2);
}

}  // namespace
}  // namespace otss
