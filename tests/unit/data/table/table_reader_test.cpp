#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <thread>

#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Table read(const std::string& path, const std::vector<ColumnRequest>& columns,
           const std::string& query = "") {
  return read_table(TableReader(TableSource{path, query}), columns);
}

std::string open_error(const std::string& path, const std::string& query = "") {
  return error_of([&] { TableReader(TableSource{path, query}); });
}

std::string read_error(const std::string& path, const std::vector<ColumnRequest>& columns) {
  return error_of([&] { read(path, columns); });
}

TEST(TableReader, ReadsNumbersAndTextsOfACsvInRowOrder) {
  const Folder folder;
  const auto file = folder.write("t.csv", "age,region\n41,north\n,south\n18.5,\n");
  const TableReader reader(TableSource{file, ""});
  EXPECT_EQ(reader.columns()[0].kind, ColumnKind::kNumber);
  EXPECT_EQ(reader.columns()[1].kind, ColumnKind::kText);
  const Table table = read_table(reader, {{"region", true}, {"age", false}});
  ASSERT_EQ(table.num_rows, 3U);
  EXPECT_THAT(table.columns[0].texts, ElementsAre("north", "south", ""));
  EXPECT_THAT(table.columns[0].missing, ElementsAre(false, false, true));
  EXPECT_EQ(table.columns[1].numbers[0], 41);
  EXPECT_TRUE(std::isnan(table.columns[1].numbers[1]));
  EXPECT_EQ(table.columns[1].numbers[2], 18.5);
}

TEST(TableReader, KeepsTheOrderOfManyRows) {
  const Folder folder;
  std::string csv = "i,pad\n";
  for (int i = 0; i < 50000; ++i) csv += fmt::format("{},some text to make the file longer\n", i);
  const Table table = read(folder.write("long.csv", csv), {{"i", false}});
  ASSERT_EQ(table.num_rows, 50000U);
  for (std::size_t i = 0; i < table.num_rows; ++i)
    ASSERT_EQ(table.columns[0].numbers[i], static_cast<double>(i));
}

TEST(TableReader, ChoosesTheDelimiterFromTheHeader) {
  const Folder folder;
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const auto file =
        folder.write("d.csv", fmt::format("a{0}\"b,;|\"{0}c\n1{0}x{0}3\n", delimiter));
    const Table table = read(file, {{"a", false}, {"c", false}});
    EXPECT_EQ(table.columns[1].numbers[0], 3) << delimiter;
  }
}

TEST(TableReader, ReadsQuotedFieldsWithLineBreaksAndWindowsLineEnds) {
  const Folder folder;
  const auto file = folder.write("q.csv",
                                 "\xEF\xBB\xBF"
                                 "a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n2,w\r\n");
  const Table table = read(file, {{"a", false}, {"b", true}});
  EXPECT_THAT(table.columns[1].texts, ElementsAre("x, \"y\"\nz", "w"));
}

TEST(TableReader, ReadsCompressedCsvParquetAndJsonAlike) {
  const Folder folder;
  const auto csv = folder.write("t.csv", "x,name\n1.25,a\n,b\n-3,\n");
  ASSERT_EQ(std::system(fmt::format("gzip -k '{}'", csv).c_str()), 0);
  const auto parquet = folder.convert(csv, "t.parquet");
  const auto json = folder.convert(csv, "t.json");
  for (const std::string& file : {csv, csv + ".gz", parquet, json}) {
    const Table table = read(file, {{"x", false}, {"name", true}});
    ASSERT_EQ(table.num_rows, 3U) << file;
    EXPECT_EQ(table.columns[0].numbers[0], 1.25);
    EXPECT_TRUE(std::isnan(table.columns[0].numbers[1]));
    EXPECT_EQ(table.columns[0].numbers[2], -3);
    EXPECT_THAT(table.columns[1].texts, ElementsAre("a", "b", ""));
    EXPECT_THAT(table.columns[1].missing, ElementsAre(false, false, true));
  }
}

TEST(TableReader, ReadsAGlobInTheOrderOfTheNames) {
  const Folder folder;
  folder.write("part2.csv", "x\n3\n");
  folder.write("part1.csv", "x\n1\n2\n");
  EXPECT_THAT(read(folder.path("part*.csv"), {{"x", false}}).columns[0].numbers,
              ElementsAre(1, 2, 3));
  EXPECT_THAT(open_error(folder.path("none*.csv")), HasSubstr("no file matches"));
  folder.write("part3.csv", "y\n3\n");
  EXPECT_THAT(open_error(folder.path("part*.csv")), HasSubstr("different headers"));
}

TEST(TableReader, ReadsAFileWhoseNameLooksLikeAGlob) {
  const Folder folder;
  EXPECT_EQ(read(folder.write("log[1].csv", "x\n7\n"), {{"x", false}}).columns[0].numbers[0], 7);
}

TEST(TableReader, ReadsStandardInputAndLeavesNoFileBehind) {
  const Folder folder;
  const auto file = folder.write("in.csv", "x\n5\n");
  const int saved = dup(STDIN_FILENO);
  const int input = open(file.c_str(), O_RDONLY);
  dup2(input, STDIN_FILENO);
  setenv("TMPDIR", folder.path("").c_str(), 1);
  {
    const TableReader reader(TableSource{"-", ""});
    EXPECT_EQ(folder.num_files(), 2U);
    EXPECT_EQ(reader.name(), "standard input");
    EXPECT_EQ(read_table(reader, {{"x", false}}).columns[0].numbers[0], 5);
    EXPECT_EQ(read_table(reader, {{"x", false}}).num_rows, 1U) << "a second pass";
  }
  EXPECT_EQ(folder.num_files(), 1U);
  EXPECT_THAT(open_error("-"), AllOf(HasSubstr("standard input is empty"),
                                     HasSubstr("a stream can be read only once")));
  unsetenv("TMPDIR");
  dup2(saved, STDIN_FILENO);
  close(saved);
  close(input);
}

TEST(TableReader, TurnsBooleansDatesAndTimesIntoNumbers) {
  const Folder folder;
  const auto csv =
      folder.write("k.csv", "flag,day,at\ntrue,1970-01-02,1970-01-01 00:00:01.5\nfalse,,\n");
  const Table table = read(csv, {{"flag", false}, {"day", false}, {"at", false}});
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(1, 0));
  EXPECT_EQ(table.columns[1].numbers[0], 86400);
  EXPECT_EQ(table.columns[2].numbers[0], 1.5);
  const Table typed =
      read(csv, {{"d", false}, {"f", false}, {"m", false}},
           "SELECT DATE '1970-01-02' AS d, true AS f, 1.5::DECIMAL(5,2) AS m FROM t");
  EXPECT_EQ(typed.columns[0].numbers[0], 86400);
  EXPECT_EQ(typed.columns[1].numbers[0], 1);
  EXPECT_EQ(typed.columns[2].numbers[0], 1.5);
}

TEST(TableReader, KeepsTheCharactersOfTheFileWhereTextIsAsked) {
  const Folder folder;
  const auto file = folder.write("id.csv", "id,x\n007,1.50\n012,NA\n");
  const TableReader reader(TableSource{file, ""});
  EXPECT_EQ(reader.columns()[0].kind, ColumnKind::kText) << "a leading zero makes a code";
  EXPECT_EQ(reader.columns()[1].kind, ColumnKind::kNumber) << "NA is a missing number";
  const Table table = read_table(reader, {{"id", true}, {"x", true}, {"id", false}, {"x", false}});
  EXPECT_THAT(table.columns[0].texts, ElementsAre("007", "012"));
  EXPECT_THAT(table.columns[1].texts, ElementsAre("1.50", "NA"));
  EXPECT_THAT(table.columns[2].numbers, ElementsAre(7, 12));
  EXPECT_TRUE(std::isnan(table.columns[3].numbers[1]));
  const Table queried = read(file, {{"id", true}}, "SELECT * FROM t WHERE x > 1;");
  EXPECT_THAT(queried.columns[0].texts, ElementsAre("007"));
}

TEST(TableReader, TakesTheUsualWordsForAMissingNumber) {
  const Folder folder;
  std::string csv = "x,text\n1,none\n";
  const std::vector<std::string> words = {"NA",  "nan", "NaN",  "NULL", "null",
                                          "N/A", "n/a", "None", "none", ""};
  for (const std::string& word : words) csv += word + ",a\n";
  const auto file = folder.write("m.csv", csv);
  for (const char* query : {"", "SELECT * FROM t"}) {
    const Table table = read(file, {{"x", false}, {"text", true}}, query);
    for (std::size_t i = 1; i < table.num_rows; ++i)
      EXPECT_TRUE(std::isnan(table.columns[0].numbers[i])) << words[i - 1];
    EXPECT_EQ(table.columns[0].numbers[0], 1);
    EXPECT_EQ(table.columns[1].texts[0], "none") << "a text is what it says";
  }
}

TEST(TableReader, MeetsMissingWordsBehindTheSample) {
  const Folder folder;
  std::string csv = "x\n";
  for (int i = 0; i < 30000; ++i) csv += "1\n";
  const Table table = read(folder.write("late.csv", csv + "N/A\n"), {{"x", false}});
  EXPECT_TRUE(std::isnan(table.columns[0].numbers[30000]));
}

TEST(TableReader, ReadsEndingsInCapitals) {
  const Folder folder;
  const auto csv = folder.write("t.csv", "x,name\n1,a\n2,b\n");
  ASSERT_EQ(std::system(fmt::format("gzip -c '{}' > '{}'", csv, folder.path("Z.CSV.GZ")).c_str()),
            0);
  std::filesystem::copy_file(csv, folder.path("UP.CSV"));
  folder.convert(csv, "OUT.PARQUET");
  folder.convert(csv, "OUT.Json");
  for (const char* name : {"UP.CSV", "Z.CSV.GZ", "OUT.PARQUET", "OUT.Json"}) {
    EXPECT_THAT(read(folder.path(name), {{"x", false}}).columns[0].numbers, ElementsAre(1, 2))
        << name;
  }
}

TEST(TableReader, ReadsCsvFromAPipe) {
  const Folder folder;
  const auto pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << "x\n5\n6\n"; });
  const TableReader reader(TableSource{pipe, ""});
  writer.join();
  EXPECT_THAT(read_table(reader, {{"x", false}}).columns[0].numbers, ElementsAre(5, 6));
  EXPECT_EQ(reader.name(), pipe);
}

// Judging the columns once took time that grew with the square of their number.
TEST(TableReader, ReadsAThousandColumnsOfEveryKind) {
  const Folder folder;
  std::string names;
  std::string row;
  const std::vector<std::string> values = {"1", "2.5", "true", "2024-01-02", "abc", "007"};
  for (std::size_t i = 0; i < 1000; ++i) {
    names += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    row += (i == 0 ? "" : ",") + values[i % values.size()];
  }
  const TableReader reader(
      TableSource{folder.write("wide.csv", names + "\n" + row + "\n" + row + "\n"), ""});
  std::vector<ColumnRequest> requests;
  for (std::size_t i = 0; i < 1000; ++i) {
    const bool is_text = i % values.size() >= 4;
    EXPECT_EQ(reader.columns()[i].kind == ColumnKind::kText, is_text) << values[i % values.size()];
    requests.push_back({reader.columns()[i].name, is_text});
  }
  const Table table = read_table(reader, requests);
  EXPECT_THAT(table.columns[997].numbers, ElementsAre(2.5, 2.5));
  EXPECT_THAT(table.columns[999].numbers, ElementsAre(1704153600, 1704153600));
}

TEST(TableReader, AppliesAQueryToTableT) {
  const Folder folder;
  const auto file = folder.write("q.csv", "k,x\na,1\nb,2\na,3\n");
  const Table table =
      read(file, {{"k", true}, {"total", false}},
           "SELECT k, sum(x) AS total FROM t GROUP BY k ORDER BY total DESC -- largest first");
  EXPECT_THAT(table.columns[0].texts, ElementsAre("a", "b"));
  EXPECT_THAT(table.columns[1].numbers, ElementsAre(4, 2));
}

TEST(TableReader, LetsAQueryReadOnlyTheFilesNamed) {
  const Folder folder;
  const auto file = folder.write("a.csv", "x\n1\n");
  const auto secret = folder.write("b.csv", "x\n2\n");
  EXPECT_THAT(open_error(file, fmt::format("SELECT * FROM read_csv('{}')", secret)),
              HasSubstr("a query may read only the table t"));
  EXPECT_THAT(open_error(file, fmt::format("SELECT * FROM '{}'", secret)),
              HasSubstr("a query may read only"));
  EXPECT_THAT(open_error(file, "SELECT content FROM read_text('/etc/hostname')"),
              HasSubstr("--query"));
  EXPECT_THAT(open_error(file, "SET enable_external_access = true"), HasSubstr("--query"));
  EXPECT_THAT(open_error(file, "SELECT 1); DROP VIEW t; SELECT (1"), HasSubstr("--query"));
  EXPECT_EQ(read(file, {{"x", false}}, fmt::format("SELECT * FROM read_csv('{}')", file)).num_rows,
            1U);
}

TEST(TableReader, ExplainsABadQueryInOneLine) {
  const Folder folder;
  const auto file = folder.write("a.csv", "x\n1\n");
  EXPECT_THAT(open_error(file, "SELECT y FROM t"),
              AllOf(HasSubstr("--query"), HasSubstr("\"y\" not found")));
  EXPECT_THAT(open_error(file, "SELEC"), HasSubstr("syntax error"));
  EXPECT_THAT(error_of([&] {
                read(file, {{"x", false}}, "SELECT * FROM t WHERE x > 9");
              }),
              HasSubstr("has no rows that --query keeps"));
}

TEST(TableReader, NamesTheRaggedRow) {
  const Folder folder;
  EXPECT_THAT(open_error(folder.write("short.csv", "a,b,c\n1,2,3\n4,5\n")),
              AllOf(HasSubstr("short.csv': row 2 has 2 fields where the header has 3"),
                    HasSubstr("correct the row")));
  EXPECT_THAT(open_error(folder.write("long.csv", "a,b\n1,2\n1,2\n4,5,6\n")),
              HasSubstr("row 3 has 3 fields where the header has 2"));
  EXPECT_THAT(open_error(folder.write("quote.csv", "a,b\n1,2\n1,\"x\n")),
              HasSubstr("row 2 has a quote"));
  EXPECT_THAT(open_error(folder.write("latin.csv", "a,b\n1,caf\xE9\n")),
              HasSubstr("row 1 is not UTF-8"));
  EXPECT_THAT(open_error(folder.write("name.csv", "a,caf\xE9\n1,2\n")), HasSubstr("is not UTF-8"));
}

TEST(TableReader, NamesTheRaggedRowFarBehindTheSample) {
  const Folder folder;
  std::string csv = "a,b\n";
  for (int i = 0; i < 60000; ++i) csv += "1,2\n";
  const auto file = folder.write("late.csv", csv + "3\n");
  EXPECT_THAT(read_error(file, {{"a", false}}),
              HasSubstr("row 60001 has 1 fields where the header has 2"));
}

TEST(TableReader, NamesTheFirstRowThatIsNotANumber) {
  const Folder folder;
  const auto file = folder.write("n.csv", "x\n1\nNA\nabc\n4\n");
  EXPECT_THAT(read_error(file, {{"x", false}}),
              AllOf(HasSubstr("column 'x' is 'abc' in row 3"), HasSubstr("not a number")));
}

TEST(TableReader, NamesTextThatComesAfterTheSampleAndSettlesTheKind) {
  const Folder folder;
  std::string csv = "x\n";
  for (int i = 0; i < 30000; ++i) csv += "1\n";
  TableReader reader(TableSource{folder.write("late.csv", csv + "abc\n"), ""});
  EXPECT_EQ(reader.columns()[0].kind, ColumnKind::kNumber);
  EXPECT_FALSE(reader.settle_kinds()) << "nothing went wrong yet";
  EXPECT_THAT(error_of([&] {
                read_table(reader, {{"x", false}});
              }),
              HasSubstr("'abc' in row 30001"));
  EXPECT_TRUE(reader.settle_kinds());
  EXPECT_EQ(reader.columns()[0].kind, ColumnKind::kText);
  EXPECT_EQ(read_table(reader, {{"x", true}}).num_rows, 30001U);
}

TEST(TableReader, RefusesColumnsOfOneName) {
  const Folder folder;
  EXPECT_THAT(open_error(folder.write("d.csv", "a,b,a\n1,2,3\n")),
              HasSubstr("names column 'a' twice"));
  EXPECT_THAT(open_error(folder.write("c.csv", "a,A\n1,2\n")), HasSubstr("differ only in case"));
}

TEST(TableReader, SaysWhatIsWrongWithAFile) {
  const Folder folder;
  EXPECT_THAT(open_error(folder.path("no.csv")), HasSubstr("no.csv' does not exist"));
  EXPECT_THAT(open_error(folder.path("")), HasSubstr("is a folder"));
  EXPECT_THAT(open_error(folder.write("empty.csv", "")), HasSubstr("empty.csv' is empty"));
  EXPECT_THAT(open_error(folder.write("header.csv", "a,b\n")),
              HasSubstr("header.csv' has no rows"));
  EXPECT_THAT(open_error(folder.write("blank.csv", "\n1,2\n")), HasSubstr("blank.csv'"));
  EXPECT_THAT(open_error(folder.write("t.xlsx", "x")),
              AllOf(HasSubstr("t.xlsx"), HasSubstr(".parquet")));
  EXPECT_THAT(open_error(folder.write("bin.csv", std::string("\x1f\x8b\x08\0\xff\xfe,\n", 8))),
              HasSubstr("is not CSV"));
  EXPECT_THAT(open_error(folder.write("bad.parquet", "PAR1 no")),
              HasSubstr("cannot be read as Parquet"));
  EXPECT_THAT(open_error(folder.write("bad.json", "{\"a\": 1}\n{\"a\":")),
              HasSubstr("cannot be read as JSON"));
  EXPECT_THAT(open_error(folder.write("none.json", "[]")), HasSubstr("has no rows"));
  EXPECT_THAT(open_error(folder.write("bad.csv.gz", "not gzip")),
              HasSubstr("bad.csv.gz' is not CSV"));
}

TEST(TableReader, RefusesAGzipFileThatIsCut) {
  const Folder folder;
  const std::string csv = folder.write("t.csv", "a,b\n1,first\n2,a last field to be cut\n");
  ASSERT_EQ(std::system(fmt::format("gzip -k '{}'", csv).c_str()), 0);
  const std::string whole = read_file(csv + ".gz");
  for (const std::size_t missing : {1U, 8U, 9U, 14U, 30U}) {
    const std::string cut = folder.write("cut.csv.gz", whole.substr(0, whole.size() - missing));
    EXPECT_THAT(open_error(cut), HasSubstr("cut.csv.gz' is incomplete"))
        << missing << " bytes missing";
  }
  std::string altered = whole;
  altered[altered.size() - 6] ^= 1;  // in the checksum
  EXPECT_THAT(open_error(folder.write("altered.csv.gz", altered)),
              HasSubstr("altered.csv.gz' is damaged"));
}

TEST(TableReader, RefusesAHeaderThatLeavesAColumnWithoutAName) {
  const Folder folder;
  EXPECT_THAT(open_error(folder.write("pandas.csv", ",a,b\n0,1,2\n")),
              AllOf(HasSubstr("pandas.csv' has no name for column 1"), HasSubstr("index=False")));
  EXPECT_THAT(open_error(folder.write("comma.csv", "a,b,\n1,2,\n")),
              HasSubstr("comma.csv' has no name for column 3"));
}

TEST(TableReader, SuggestsTheNearestColumnOrListsThem) {
  const Folder folder;
  const TableReader reader(TableSource{folder.write("t.csv", "age,region,price\n1,a,2\n"), ""});
  EXPECT_THAT(
      error_of([&] { reader.column("reigon", "--context"); }),
      AllOf(HasSubstr("has no column 'reigon' (--context)"), HasSubstr("did you mean 'region'?")));
  EXPECT_THAT(error_of([&] { reader.column("Age", "--context"); }),
              HasSubstr("did you mean 'age'?"));
  EXPECT_THAT(error_of([&] { reader.column("zzz", "--factors"); }),
              HasSubstr("its columns are 'age', 'region', 'price'"));
  EXPECT_TRUE(reader.has_column("price"));
  EXPECT_FALSE(reader.has_column("Price"));
}

TEST(TableReader, BoundsTheListOfColumns) {
  const Folder folder;
  std::string names = "c0";
  std::string values = "0";
  for (int i = 1; i < 100; ++i) {
    names += fmt::format(",c{}", i);
    values += ",0";
  }
  const TableReader reader(TableSource{folder.write("wide.csv", names + "\n" + values + "\n"), ""});
  EXPECT_THAT(error_of([&] { reader.column("something", ""); }),
              AllOf(HasSubstr("and 88 more"), Not(HasSubstr("c50"))));
}

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(TableReader, ReadsOnTheThreadsItIsGiven) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "a\n1\n2\n");
  std::thread([] {}).join();  // with the first thread, the thread sanitizer starts one of its own
  const std::size_t before = threads_of_this_process();
  const auto extra = [&](int threads) {
    std::size_t most = 0;
    const TableReader reader(TableSource{.path = path, .threads = threads});
    reader.read({{"a"}}, [&](const TableChunk&) { most = threads_of_this_process() - before; });
    return most;
  };
  EXPECT_EQ(extra(1), 0U);
  // Three more of DuckDB, and the one that asks it for rows, which may have ended already.
  EXPECT_THAT(extra(4), testing::AnyOf(3U, 4U));
}

TEST(TableReader, TellsWhatTheValuesOfAColumnAre) {
  const Folder folder;
  const auto types = [](const TableReader& reader) {
    std::vector<ValueType> all;
    for (const ColumnInfo& column : reader.columns()) all.push_back(column.type);
    return all;
  };
  const std::string csv =
      folder.write("t.csv", "a,b,c,d,e\n1,1.5,true,2020-01-01,x\n2,2,false,2020-01-02,y\n");
  const auto expected = ElementsAre(ValueType::kWholeNumber, ValueType::kNumber,
                                    ValueType::kBoolean, ValueType::kTime, ValueType::kText);
  EXPECT_THAT(types(TableReader(csv)), expected);
  EXPECT_THAT(types(TableReader({csv, "SELECT * FROM t"})), expected);
}

TEST(ReadingRules, KnowTheWordsForAMissingNumber) {
  const ReadingRules rules;
  for (const char* text : {"NA", "NaN", "null", "N/A", "None"}) EXPECT_TRUE(rules.is_missing(text));
  for (const char* text : {"", "nap", "nothing", "0"}) EXPECT_FALSE(rules.is_missing(text)) << text;
}

TEST(TableReader, OpensAPath) {
  const Folder folder;
  const std::string path = folder.write("t.csv", "a\n1\n");
  EXPECT_EQ(read_table(TableReader(path), {{"a"}}).num_rows, 1U);
  EXPECT_EQ(read_table(TableReader(path.c_str()), {{"a"}}).num_rows, 1U);
  EXPECT_THAT(error_of([] { TableReader({"no.csv", "SELECT * FROM t"}); }), HasSubstr("'no.csv'"));
}

}  // namespace
}  // namespace otss
