#include "otss/data/reading_rules.hpp"

#include <cmath>

#include "otss/data/roles.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TableReader open(const std::string& path, ReadingRules rules = {}) {
  return TableReader(TableSource{.path = path, .rules = std::move(rules)});
}

std::vector<double> numbers(const TableReader& reader, const std::string& column) {
  return read_table(reader, {{column}}).columns[0].numbers;
}

std::vector<std::string> levels(const TableReader& reader, const std::string& column) {
  return read_table(reader, {{column, true, TextForm::kLevel}}).columns[0].texts;
}

TEST(ReadingRules, FindTheDecimalSignInTheValues) {
  const Folder folder;
  const TableReader comma = open(folder.write("c.csv", "a;b\n1,5;20.000\n2,25;1.234.567\n"));
  EXPECT_EQ(comma.rules().decimal, ',');
  EXPECT_THAT(numbers(comma, "a"), ElementsAre(1.5, 2.25));
  EXPECT_THAT(numbers(comma, "b"), ElementsAre(20000, 1234567));
  const TableReader point = open(folder.write("p.csv", "a,b\n1.5,\"20,000\"\n2,\"$3,000\"\n"));
  EXPECT_EQ(point.rules().decimal, '.');
  EXPECT_THAT(numbers(point, "b"), ElementsAre(20000, 3000));
  EXPECT_THAT(point.understood({"a", "b"}), ElementsAre(HasSubstr("'20,000' in 'b' is 20000")));
  EXPECT_THAT(point.understood({"a"}), IsEmpty());
}

TEST(ReadingRules, FindTheDecimalSignBehindTheSample) {
  const Folder folder;
  std::string csv = "a;b\n";
  for (int i = 0; i < 30000; ++i) csv += "1;2,5\n";
  TableReader reader = open(folder.write("late.csv", csv + "1.5;2\n"));
  EXPECT_EQ(reader.rules().decimal, ',');
  EXPECT_THAT(error_of([&] { numbers(reader, "a"); }), HasSubstr("'1.5' in row 30001"));
  EXPECT_TRUE(reader.settle_kinds());
  EXPECT_EQ(reader.rules().decimal, '.');
  EXPECT_THAT(error_of([&] { reader.understood({"b"}); }),
              HasSubstr("'2,5' in row 1, with a decimal comma"));
}

TEST(ReadingRules, RefuseANumberWithTwoMeanings) {
  const Folder folder;
  const std::string file = folder.write("d.csv", "a;b\n20,000;1\n30,000;2\n");
  EXPECT_THAT(error_of([&] { open(file).understood({"a"}); }),
              AllOf(HasSubstr("column 'a'"), HasSubstr("'20,000'"), HasSubstr("--decimal .")));
  EXPECT_THAT(numbers(open(file, {.decimal = '.'}), "a"), ElementsAre(20000, 30000));
  EXPECT_THAT(numbers(open(file, {.decimal = ','}), "a"), ElementsAre(20, 30));
}

TEST(ReadingRules, TakeSignsForMissingNumbers) {
  const Folder folder;
  const TableReader reader = open(folder.write("m.csv", "a,b\n1,?\n?,x\n-,?\n"));
  EXPECT_EQ(reader.columns()[0].kind, ColumnKind::kNumber);
  EXPECT_TRUE(std::isnan(numbers(reader, "a")[2]));
  EXPECT_THAT(levels(reader, "b"), ElementsAre("?", "x", "?")) << "a text is what it says";
  ReadingRules rules;
  rules.add_missing("?");
  const Table table =
      read_table(open(folder.path("m.csv"), rules), {{"b", true, TextForm::kLevel}, {"b", true}});
  EXPECT_THAT(table.columns[0].missing, ElementsAre(true, false, true));
  EXPECT_THAT(table.columns[1].texts, ElementsAre("?", "x", "?")) << "the characters of the file";
}

TEST(ReadingRules, TrimLevelsAndMergeCaseWhereAsked) {
  const Folder folder;
  const std::string file = folder.write("t.csv", "a\nF\nF \nf\n \n");
  EXPECT_THAT(levels(open(file), "a"), ElementsAre("F", "F", "f", ""));
  EXPECT_THAT(levels(open(file, {.ignores_case = true}), "a"), ElementsAre("f", "f", "f", ""));
  EXPECT_THAT(levels(open(file, {.trims_texts = false}), "a"), ElementsAre("F", "F ", "f", " "));
}

TEST(ReadingRules, MakePartsOfDates) {
  const Folder folder;
  const std::vector<DatePart> parts = {DatePart::kDay, DatePart::kWeekday, DatePart::kMonth,
                                       DatePart::kHour};
  const ReadingRules rules{.dates = {{"d", parts}}};
  for (const char* csv : {"d\n2026-04-03 06:30:00\n\n", "d\n03.04.2026 6:30\n\n"}) {
    const TableReader reader = open(folder.write("d.csv", std::string(csv) + "NA\n"), rules);
    EXPECT_EQ(numbers(reader, "d.day")[0], 20546);
    EXPECT_EQ(numbers(reader, "d.hour")[0], 6.5);
    EXPECT_EQ(levels(reader, "d.weekday")[0], "Fri");
    EXPECT_EQ(levels(reader, "d.month")[0], "Apr");
    EXPECT_TRUE(std::isnan(numbers(reader, "d.day").back()));
    EXPECT_EQ(reader.column("d.month", "").made_from, "d");
  }
  const TableReader without = open(folder.write("w.csv", "x\n1\n"), rules);
  EXPECT_THAT(error_of([&] { without.column("d.month", "a context of the model"); }),
              HasSubstr("no column 'd' (a context of the model)"));
}

TEST(ReadingRules, MakeAFactorPerLevel) {
  const Folder folder;
  const ReadingRules rules{.text_factors = {{"brand", "acme", {"bolt", "core"}}}};
  const TableReader reader =
      open(folder.write("f.csv", "brand,x\nacme,1\nbolt ,1\ncore,1\n,1\n"), rules);
  EXPECT_THAT(numbers(reader, "brand=bolt"), ElementsAre(0, 1, 0, testing::IsNan()));
  EXPECT_THAT(numbers(reader, "brand=core"), ElementsAre(0, 0, 1, testing::IsNan()));
  const TableReader other = open(folder.write("o.csv", "brand\nacme\nzeta\n"), rules);
  EXPECT_THAT(error_of([&] { numbers(other, "brand=bolt"); }),
              AllOf(HasSubstr("column 'brand' is 'zeta' in row 2"), HasSubstr("'bolt', 'core'")));
}

TEST(ReadingRules, ReadAnOutcomeInWords) {
  const Folder folder;
  const ReadingRules rules{.positive = PositiveOutcome{"y", "yes", {"no"}}};
  const TableReader reader = open(folder.write("y.csv", "y,x\nYes,1\nno ,1\nNA,1\n"), rules);
  EXPECT_EQ(numbers(reader, "y")[0], 1);
  EXPECT_EQ(numbers(reader, "y")[1], 0);
  EXPECT_TRUE(std::isnan(numbers(reader, "y")[2]));
  EXPECT_THAT(error_of([&] { numbers(open(folder.write("z.csv", "y\n1\n0\n"), rules), "y"); }),
              AllOf(HasSubstr("column 'y' is '1' in row 1"), HasSubstr("'yes'")));
  const ReadingRules two{.positive = PositiveOutcome{"y", "2", {"1"}}};
  EXPECT_THAT(numbers(open(folder.write("n.csv", "y\n1\n2.0\n"), two), "y"), ElementsAre(0, 1));
}

TEST(ReadingRules, KnowTheColumnsOfTheFile) {
  const ReadingRules rules{.dates = {{"d", {DatePart::kDay, DatePart::kMonth}}},
                           .text_factors = {{"brand", "acme", {"bolt", "core"}}}};
  const Roles roles = roles_in_file(
      {.contexts = {"age", "d.day", "d.month"}, .factors = {"price", "brand=bolt", "brand=core"}},
      rules);
  EXPECT_THAT(roles.contexts, ElementsAre("age", "d"));
  EXPECT_THAT(roles.factors, ElementsAre("price", "brand"));
  EXPECT_THAT(rules.for_new_log().text_factors[0].levels, IsEmpty());
}

TEST(ReadingRules, AreValidated) {
  const auto problem = [](const ReadingRules& rules) {
    return error_of([&] { rules.validate(); });
  };
  EXPECT_THAT(problem({.missing = {"NA"}}), HasSubstr("small letters"));
  EXPECT_THAT(problem({.decimal = ';'}), HasSubstr("decimal sign ';'"));
  EXPECT_THAT(problem({.dates = {{"d", {}}}}), HasSubstr("--dates d: no part is given"));
  EXPECT_THAT(problem({.dates = {{"d", {DatePart::kDay}}, {"d", {DatePart::kMonth}}}}),
              HasSubstr("--dates d: the column is given twice"));
  EXPECT_THAT(problem({.text_factors = {{"b", "x", {"y", "x"}}}}), HasSubstr("text factor 'b'"));
}

}  // namespace
}  // namespace otss
