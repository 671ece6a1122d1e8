#include <fcntl.h>
#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "data/table/duckdb/connection.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<ColumnInfo> kColumns = {{"x", ColumnKind::kNumber}, {"name", ColumnKind::kText}};

void write_rows(TableWriter& writer, const std::vector<double>& numbers,
                const std::vector<std::string_view>& texts) {
  TableChunk chunk{0, numbers.size(), {}};
  chunk.columns.push_back({ColumnKind::kNumber, numbers, {}});
  chunk.columns.push_back({ColumnKind::kText, {}, texts});
  writer.write(chunk);
}

void write_table(const std::string& path) {
  TableWriter writer(path, kColumns);
  write_rows(writer, {1.5, kNaN, 100000}, {"plain", "with \"quotes\", and\na break", {}});
  write_rows(writer, {0.1}, {"é"});
  writer.commit();
}

TEST(TableWriter, WritesCsvWithQuotesWhereNeeded) {
  const Folder folder;
  write_table(folder.path("t.csv"));
  EXPECT_EQ(read_file(folder.path("t.csv")),
            "x,name\n1.5,plain\n,\"with \"\"quotes\"\", and\na break\"\n100000,\n0.1,é\n");
}

TEST(TableWriter, WritesJsonAsAnArrayOfObjects) {
  const Folder folder;
  write_table(folder.path("t.json"));
  EXPECT_EQ(read_file(folder.path("t.json")),
            "[\n{\"x\": 1.5, \"name\": \"plain\"},\n{\"x\": null, \"name\": \"with \\\"quotes\\\", "
            "and\\na break\"},\n"
            "{\"x\": 100000, \"name\": null},\n{\"x\": 0.1, \"name\": \"é\"}\n]\n");
  TableWriter(folder.path("empty.json"), kColumns).commit();
  EXPECT_EQ(read_file(folder.path("empty.json")), "[]\n");
}

TEST(TableWriter, KeepsEveryBitOfANumberInEveryFormat) {
  const Folder folder;
  const std::vector<double> numbers = {
      0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345678.0, 1e5, -2.5e-8, 4503599627370497.5, -0.0, 3};
  const std::vector<std::string_view> texts(numbers.size(), "t");
  for (const char* name : {"t.csv", "t.json", "t.parquet"}) {
    TableWriter writer(folder.path(name), kColumns);
    write_rows(writer, numbers, texts);
    writer.commit();
    const Table table = read_table(TableReader(TableSource{folder.path(name), ""}), {{"x", false}});
    EXPECT_EQ(table.columns[0].numbers, numbers) << name;
  }
}

TEST(TableWriter, KeepsCountsWholeInParquet) {
  const Folder folder;
  TableWriter writer(folder.path("t.parquet"),
                     {{"row", ColumnKind::kNumber, true}, {"score", ColumnKind::kNumber}});
  const std::vector<double> rows = {1, 2, 9007199254740991};
  const std::vector<double> scores = {1, 2, kNaN};
  writer.write({0, 3, {{ColumnKind::kNumber, rows, {}}, {ColumnKind::kNumber, scores, {}}}});
  writer.commit();
  duck::Connection connection(1);
  const auto columns =
      connection.describe(fmt::format("SELECT * FROM '{}'", folder.path("t.parquet")));
  EXPECT_EQ(columns[0].type, DUCKDB_TYPE_BIGINT);
  EXPECT_EQ(columns[1].type, DUCKDB_TYPE_DOUBLE);
  const TableReader reader(TableSource{folder.path("t.parquet"), ""});
  EXPECT_EQ(read_table(reader, {{"row", false}}).columns[0].numbers, rows);
}

TEST(TableWriter, KeepsARowWhoseOnlyValueIsEmpty) {
  const Folder folder;
  TableWriter writer(folder.path("one.csv"), {{"name", ColumnKind::kText}});
  const std::vector<std::string_view> texts = {"a", {}, "b"};
  TableChunk chunk{0, 3, {{ColumnKind::kText, {}, texts}}};
  writer.write(chunk);
  writer.commit();
  EXPECT_EQ(
      read_table(TableReader(TableSource{folder.path("one.csv"), ""}), {{"name", true}}).num_rows,
      3U);
}

TEST(TableWriter, WritesMoreRowsThanOneChunkOfParquet) {
  const Folder folder;
  const std::vector<double> numbers(5000, 2.5);
  const std::vector<std::string_view> texts(5000, "a text longer than twelve bytes");
  TableWriter writer(folder.path("t.parquet"), kColumns);
  write_rows(writer, numbers, texts);
  writer.commit();
  const Table table =
      read_table(TableReader(TableSource{folder.path("t.parquet"), ""}), {{"name", true}});
  ASSERT_EQ(table.num_rows, 5000U);
  EXPECT_EQ(table.columns[0].texts[4999], texts[4999]);
}

TEST(TableWriter, LeavesNothingBehindWithoutCommit) {
  const Folder folder;
  for (const char* name : {"t.csv", "t.json", "t.parquet"}) {
    {
      TableWriter writer(folder.path(name), kColumns);
      write_rows(writer, {1}, {"a"});
      EXPECT_EQ(folder.num_files(), 1U) << "written beside";
      EXPECT_FALSE(std::filesystem::exists(folder.path(name)));
    }
    EXPECT_EQ(folder.num_files(), 0U) << name;
  }
}

TEST(TableWriter, ReplacesAFileOnlyAtCommit) {
  const Folder folder;
  const auto path = folder.write("t.csv", "old");
  TableWriter writer(path, kColumns);
  write_rows(writer, {1}, {"a"});
  EXPECT_EQ(read_file(path), "old");
  writer.commit();
  EXPECT_EQ(read_file(path), "x,name\n1,a\n");
  EXPECT_EQ(folder.num_files(), 1U);
}

TEST(TableWriter, NamesAFolderThatDoesNotExist) {
  const Folder folder;
  for (const char* name : {"no/t.csv", "no/t.json", "no/t.parquet"}) {
    const auto message = error_of([&] { TableWriter(folder.path(name), kColumns); });
    EXPECT_THAT(message, AllOf(HasSubstr(name), HasSubstr("does not exist; create it")));
  }
}

TEST(TableWriter, RefusesAnEndingItDoesNotKnow) {
  EXPECT_THAT(error_of([&] { TableWriter("out.txt", kColumns); }),
              HasSubstr("give a name that ends in .csv, .parquet or .json"));
}

TEST(TableWriter, ReportsThatStandardOutputIsFull) {
  const int saved = dup(STDOUT_FILENO);
  const int full = open("/dev/full", O_WRONLY);
  dup2(full, STDOUT_FILENO);
  const auto message = error_of([&] {
    TableWriter writer("", kColumns);
    write_rows(writer, {1}, {"a"});
    writer.commit();
  });
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(full);
  EXPECT_THAT(message, AllOf(HasSubstr("standard output"), HasSubstr("No space left")));
}

}  // namespace
}  // namespace otss
