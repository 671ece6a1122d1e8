// Tables that are read on several threads.
#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <numeric>

#include "data/table/duckdb/connection.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::HasSubstr;

constexpr int kRows = 60'000;

// Writes the table i, name with kRows rows in several forms, and returns the paths.
std::vector<std::string> many_forms(const Folder& folder) {
  const auto table = [](int first, int last) {
    return fmt::format(
        "SELECT i::DOUBLE AS i, CASE WHEN i % 7 > 0 THEN concat('name ', i % 100) END AS name FROM "
        "range({}, {}) r(i)",
        first, last);
  };
  internal::duck::Connection connection(2);
  const auto copy = [&](const std::string& rows, const char* name, const char* options) {
    connection.execute(fmt::format("COPY ({}) TO '{}' ({})", rows, folder.path(name), options));
    return folder.path(name);
  };
  // Files and row groups whose sizes are no multiples of a chunk.
  copy(table(0, 5'001), "part1.parquet", "FORMAT parquet");
  copy(table(5'001, 50'000), "part2.parquet", "FORMAT parquet, ROW_GROUP_SIZE 2048");
  copy(table(50'000, kRows), "part3.parquet", "FORMAT parquet, ROW_GROUP_SIZE 4096");
  // DuckDB reads CSV in buffers of 2 MB; this file has four of them.
  const std::string wide =
      fmt::format("SELECT *, repeat('-', 120) AS rest FROM ({})", table(0, kRows));
  return {copy(table(0, kRows), "t.csv", "FORMAT csv"),
          copy(table(0, kRows), "t.csv.gz", "FORMAT csv, COMPRESSION gzip"),
          copy(table(0, kRows), "t.json", "FORMAT json"),
          copy(table(0, kRows), "one.parquet", "FORMAT parquet, ROW_GROUP_SIZE 100000"),
          copy(table(0, kRows), "many.parquet", "FORMAT parquet, ROW_GROUP_SIZE 2048"),
          folder.path("part*.parquet"),
          copy(wide, "wide.csv", "FORMAT csv")};
}

const std::vector<ColumnRequest> kColumns = {{"i"}, {"name", true}};

TEST(ReadingOnThreads, WorksOnEveryRowOnceAndUsesResultsInRowOrder) {
  const Folder folder;
  for (const std::string& path : many_forms(folder)) {
    for (const int threads : {1, 2, 7}) {
      std::atomic<int> num_worked = 0;
      int next = 0;
      const TableReader reader(TableSource{.path = path, .threads = threads});
      reader.read_in_parallel(kColumns, [&](const TableChunk& chunk) -> std::function<void()> {
        num_worked += static_cast<int>(chunk.num_rows);
        for (std::size_t row = 0; row < chunk.num_rows; ++row) {
          const std::size_t i = chunk.first_row + row;
          EXPECT_EQ(chunk.columns[0].numbers[row], static_cast<double>(i)) << path;
          const std::string_view name = chunk.columns[1].texts[row];
          EXPECT_EQ(name.data() == nullptr, i % 7 == 0);
          if (i % 7 > 0) {
            EXPECT_EQ(name, fmt::format("name {}", i % 100));
          }
          if (testing::Test::HasFailure()) break;
        }
        return [&next, first = chunk.first_row, count = chunk.num_rows] {
          EXPECT_EQ(next, static_cast<int>(first));
          next += static_cast<int>(count);
        };
      });
      EXPECT_EQ(num_worked, kRows) << path;
      EXPECT_EQ(next, kRows) << path;
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ReadingOnThreads, ThrowsTheErrorOfTheFirstBadRowAfterTheRowsBeforeIt) {
  const Folder folder;
  for (const std::string& path : many_forms(folder)) {
    for (const int threads : {1, 2, 7}) {
      const TableReader reader(TableSource{.path = path, .threads = threads});
      std::size_t used = 0;
      const std::string error = error_of([&] {
        reader.read_in_parallel(kColumns, [&](const TableChunk& chunk) -> std::function<void()> {
          for (std::size_t row = chunk.first_row; row < chunk.first_row + chunk.num_rows; ++row) {
            if (row == 20'123 || row == 59'999)
              throw Error(ErrorCode::kInput, fmt::format("row {} is bad", row));
          }
          return [&used, count = chunk.num_rows] { used += count; };
        });
      });
      EXPECT_EQ(error, "row 20123 is bad") << path;
      EXPECT_LE(used, 20'123U);
      EXPECT_GT(used + 2048, 20'123U);
    }
  }
}

TEST(ReadingOnThreads, NamesARaggedRowAndATextAmongNumbers) {
  const Folder folder;
  std::string ragged = "a,b\n";
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) {
    ragged += i == 70'000 ? "1\n" : "1,2\n";
    text += i == 70'000 || i == 90'000 ? "1,two\n" : "1,2\n";
  }
  const auto error = [&](const std::string& path) {
    const TableReader reader(TableSource{.path = path, .threads = 7});
    return error_of([&] {
      reader.read_in_parallel({{"a"}, {"b"}},
                              [](const TableChunk&) { return std::function<void()>(); });
    });
  };
  EXPECT_THAT(error(folder.write("ragged.csv", ragged)), HasSubstr("row 70001 has 1 fields"));
  EXPECT_THAT(error(folder.write("text.csv", text)), HasSubstr("'b' is 'two' in row 70001"));
}

TEST(ReadingOnThreads, ReadsLinesOfNearlyTwoMegabytesAndRefusesLongerOnes) {
  const Folder folder;
  std::string bytes = "i,name\n";
  for (int i = 0; i < 20; ++i)
    bytes += fmt::format("{},\"{}\n{}\"\n", i, std::string(i * 99'000, 'a'), i);
  const std::string path = folder.write("long.csv", bytes);
  for (const int threads : {1, 7}) {
    const TableReader reader(TableSource{.path = path, .threads = threads});
    std::size_t row = 0;
    reader.read(kColumns, [&](const TableChunk& chunk) {
      for (const std::string_view name : chunk.columns[1].texts) {
        EXPECT_EQ(name.size(), row * 99'000 + fmt::format("\n{}", row).size());
        ++row;
      }
    });
    EXPECT_EQ(row, 20U);
  }
  const std::string longer =
      folder.write("longer.csv", "i,name\n1," + std::string(2'100'000, 'a') + "\n");
  EXPECT_THAT(error_of([&] { const TableReader reader(longer); }),
              HasSubstr("row 1 cannot be read"));
}

TEST(ReadingOnThreads, StreamsAFileWhoseColumnsHideTheRowNumbers) {
  const Folder folder;
  internal::duck::Connection connection(2);
  connection.execute(
      fmt::format("COPY (SELECT i AS file_row_number, 7 AS File_Index FROM range(30000) r(i)) TO "
                  "'{}' (FORMAT parquet, ROW_GROUP_SIZE 2048)",
                  folder.path("t.parquet")));
  const TableReader reader(TableSource{.path = folder.path("t.parquet"), .threads = 2});
  std::size_t next = 0;
  reader.read_in_parallel({{"file_row_number"}, {"File_Index"}}, [&](const TableChunk& chunk) {
    EXPECT_EQ(chunk.columns[0].numbers[0], static_cast<double>(chunk.first_row));
    return [&next, count = chunk.num_rows] { next += count; };
  });
  EXPECT_EQ(next, 30'000U);
}

TEST(WritingOnThreads, GivesTheSameBytesForAnyNumberOfThreads) {
  const Folder folder;
  const std::string from = many_forms(folder)[4];
  const std::vector<ColumnInfo> columns = {{"i", ColumnKind::kNumber, true},
                                           {"name", ColumnKind::kText},
                                           {.name = "n",
                                            .kind = ColumnKind::kText,
                                            .type = ValueType::kWholeNumber,
                                            .stored_as = "BIGINT"}};
  for (const std::string name : {"t.parquet", "t.csv", "t.json"}) {
    std::string first;
    for (const int threads : {1, 2, 7}) {
      TableWriter writer(folder.path(name), columns, threads);
      const TableReader reader(TableSource{.path = from, .threads = threads});
      reader.read_in_parallel({{"i"}, {"name", true}, {"i", true}}, [&](const TableChunk& chunk) {
        return [&writer, rows = writer.format(chunk)] { writer.write(rows); };
      });
      writer.commit();
      const std::string bytes = read_file(folder.path(name));
      if (threads == 1) first = bytes;
      EXPECT_TRUE(bytes == first) << name << " with " << threads << " threads";
    }
    EXPECT_GT(first.size(), 1000U);
  }
}

TEST(WritingOnThreads, KeepsOrderAndTypesOverSeveralRowGroups) {
  const Folder folder;
  const int num_rows = 150'000;  // more than four row groups
  TableWriter writer(folder.path("t.parquet"),
                     {{"i", ColumnKind::kNumber, true},
                      {.name = "day", .kind = ColumnKind::kText, .stored_as = "DATE"},
                      {.name = "code",
                       .kind = ColumnKind::kText,
                       .type = ValueType::kWholeNumber,
                       .stored_as = "BIGINT"}},
                     3);
  std::vector<double> numbers(1000);
  std::vector<std::string_view> days(1000, "2026-04-03");
  std::vector<std::string_view> codes(1000, "12");
  for (int first = 0; first < num_rows; first += 1000) {
    for (int i = 0; i < 1000; ++i) numbers[i] = first + i;
    days[7] = first == 5000 ? std::string_view() : "2026-04-03";
    codes[9] = first == 149'000 ? "007" : "12";
    writer.write({0,
                  1000,
                  {{ColumnKind::kNumber, numbers, {}},
                   {ColumnKind::kText, {}, days},
                   {ColumnKind::kText, {}, codes}}});
  }
  writer.commit();
  const TableReader reader(TableSource{.path = folder.path("t.parquet"), .threads = 2});
  EXPECT_EQ(reader.columns()[1].stored_as, "DATE");
  EXPECT_EQ(reader.columns()[2].kind, ColumnKind::kText) << "007 is no whole number";
  const Table table = read_table(reader, {{"i"}, {"day", true}, {"code", true}});
  ASSERT_EQ(table.num_rows, static_cast<std::size_t>(num_rows));
  for (int i = 0; i < num_rows; ++i) ASSERT_EQ(table.columns[0].numbers[i], i);
  EXPECT_TRUE(table.columns[1].missing[5007]);
  EXPECT_EQ(table.columns[2].texts[149'009], "007");
}

TEST(WritingOnThreads, WritesRowGroupsThatSixteenThreadsCanShare) {
  const Folder folder;
  TableWriter writer(folder.path("t.parquet"), {{"x", ColumnKind::kNumber}}, 2);
  const std::vector<double> numbers(100'000, 1.5);
  writer.write({0, numbers.size(), {{ColumnKind::kNumber, numbers, {}}}});
  writer.commit();
  internal::duck::Connection connection(1);
  const auto groups = connection.first_row(
      fmt::format("SELECT CAST(num_row_groups AS VARCHAR) FROM parquet_file_metadata('{}')",
                  folder.path("t.parquet")));
  EXPECT_EQ(groups->front(), "4") << "of 32,768 rows";
}

// Writes the numbers 0, 1, … in parts. Returns how many parts were made. The number in row `infinite`
// is infinite.
int write_in_parts(const std::string& path, std::size_t num_rows, int threads,
                   std::size_t infinite) {
  TableWriter writer(path, {{"x", ColumnKind::kNumber}}, threads);
  std::atomic<int> num_made = 0;
  writer.write_parts(num_rows, 2048, [&](std::size_t first, std::size_t count) {
    ++num_made;
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), static_cast<double>(first));
    if (infinite - first < count) numbers[infinite - first] = HUGE_VAL;
    return writer.format({first, count, {{ColumnKind::kNumber, numbers, {}}}});
  });
  writer.commit();
  return num_made;
}

TEST(WritingOnThreads, MakesEachPartOnce) {
  const Folder folder;
  constexpr std::size_t kMany = 70'000;
  constexpr int kParts = 35;
  for (const char* name : {"t.parquet", "t.csv"}) {
    for (const int threads : {1, 2, 7}) {
      const std::string path = folder.path(name);
      EXPECT_EQ(write_in_parts(path, kMany, threads, kMany), kParts);
      const Table table = read_table(TableReader(TableSource{.path = path}), {{"x"}});
      ASSERT_EQ(table.num_rows, kMany);
      for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(table.columns[0].numbers[i], i);
    }
  }
}

TEST(WritingOnThreads, NamesTheRowOfAnInfiniteNumberInAPart) {
  const Folder folder;
  for (const char* name : {"t.parquet", "t.csv"}) {
    EXPECT_THAT(error_of([&] { write_in_parts(folder.path(name), 10'000, 2, 5'000); }),
                HasSubstr("'x' would be infinite in row 5001"));
  }
}

TEST(WritingOnThreads, NamesTheRowOfAnInfiniteNumber) {
  const Folder folder;
  TableWriter writer(folder.path("t.csv"), {{"x", ColumnKind::kNumber}});
  const std::vector<double> good = {1, 2, 3};
  const std::vector<double> bad = {1, HUGE_VAL};
  writer.write({0, 3, {{ColumnKind::kNumber, good, {}}}});
  const TableWriter::Rows rows = writer.format({0, 2, {{ColumnKind::kNumber, bad, {}}}});
  EXPECT_THAT(error_of([&] { writer.write(rows); }), HasSubstr("'x' would be infinite in row 5"));
}

}  // namespace
}  // namespace otss
