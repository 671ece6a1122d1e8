#include <cmath>
#include <limits>

#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(MemoryTable, ReadsNumbersAndTextsInRowOrder) {
  const std::vector<double> age = {41, kMissing, 18.5};
  const std::vector<std::string_view> region = {"north", {}, "south"};
  const TableReader reader(table_in_memory("people", {{"age", age, {}}, {"region", {}, region}}));
  const Table table = read_table(reader, {{"region", true}, {"age"}});
  ASSERT_EQ(table.num_rows, 3U);
  EXPECT_THAT(table.columns[0].texts, ElementsAre("north", "", "south"));
  EXPECT_THAT(table.columns[0].missing, ElementsAre(false, true, false));
  EXPECT_EQ(table.columns[1].numbers[0], 41);
  EXPECT_TRUE(std::isnan(table.columns[1].numbers[1]));
}

TEST(MemoryTable, KeepsTheOrderOfManyRows) {
  std::vector<double> numbers(10'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const Table table =
      read_table(TableReader(table_in_memory("many", {{"i", numbers, {}}})), {{"i"}});
  EXPECT_EQ(table.columns[0].numbers, numbers);
}

TEST(MemoryTable, CanBeQueried) {
  const std::vector<double> age = {41, 18.5, 70};
  TableSource source = table_in_memory("people", {{"age", age, {}}});
  source.query = "SELECT 2 * age AS double_age FROM t WHERE age > 20";
  const Table table = read_table(TableReader(source), {{"double_age"}});
  EXPECT_THAT(table.columns[0].numbers, ElementsAre(82, 140));
}

// The rules of files hold: a text factor becomes indicators, and the positive outcome is known.
TEST(MemoryTable, GivesTheLogOfTheSameFile) {
  std::string csv = "age,size,kept\n";
  std::vector<double> age;
  std::vector<std::string_view> size, kept;
  for (int i = 0; i < 40; ++i) {
    age.push_back(20 + i % 7);
    size.push_back(i % 3 == 0 ? "small" : i % 3 == 1 ? "large" : "middle");
    kept.push_back(i % 4 < 2 ? "yes" : "no");
    csv += std::to_string(20 + i % 7) + "," + std::string(size.back()) + "," +
           std::string(kept.back()) + "\n";
  }
  const Folder folder;
  const Roles roles{.contexts = {"age"}, .factors = {"size"}, .outcome = "kept"};
  const ReadingRules rules{.positive = PositiveOutcome{.value = "yes"}};
  TableSource source =
      table_in_memory("log", {{"age", age, {}}, {"size", {}, size}, {"kept", {}, kept}});
  source.rules = rules;
  const LoggedData in_memory = read_log(source, roles);
  const LoggedData from_file =
      read_log(TableSource{.path = folder.write("log.csv", csv), .rules = rules}, roles);
  EXPECT_EQ(in_memory.fingerprint(), from_file.fingerprint());
  EXPECT_THAT(in_memory.roles().factors, ElementsAre("size=large", "size=middle"));
}

TEST(MemoryTable, NamesWhatIsWrong) {
  const std::vector<double> three = {1, 2, 3}, two = {1, 2};
  EXPECT_THAT(error_of([&] {
                table_in_memory("people", {{"a", three, {}}, {"b", two, {}}});
              }),
              HasSubstr("'people': column 'b' has 2 rows, but column 'a' has 3 rows"));
  EXPECT_THAT(error_of([&] {
                TableReader(table_in_memory("people", {{"a", three, {}}, {"A", three, {}}}));
              }),
              HasSubstr("'people' has two columns with the name 'A'"));
  EXPECT_THAT(error_of([&] {
                TableReader(table_in_memory("people", {{"a", {}, {}}}));
              }),
              HasSubstr("'people' has no rows"));
  EXPECT_THAT(error_of([&] { TableReader(table_in_memory("people", {})); }),
              HasSubstr("'people' has no"));
}

}  // namespace
}  // namespace otss
