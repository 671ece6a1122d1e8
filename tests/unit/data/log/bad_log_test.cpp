// What a log may not contain, and the words that say so.
#include <fmt/core.h>

#include <limits>

#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const Roles kRoles = {.contexts = {"x"}, .factors = {"z", "v"}, .outcome = "y"};

std::string complaint(const std::string& csv, const Roles& roles = kRoles,
                      OutcomeKind kind = OutcomeKind::kBinary) {
  const Folder folder;
  const auto file = folder.write("log.csv", csv);
  return error_of([&] { read_log(file, roles, kind); });
}

// Three good rows, then `row`.
std::string with_row(const std::string& row) {
  return "x,z,v,y\n1,1,3,0\n2,2,1,1\n3,3,2,0\n" + row + "\n";
}

Roles changed(void (*change)(Roles&)) {
  Roles roles = kRoles;
  change(roles);
  return roles;
}

TEST(BadLog, NamesTheRowOfABadOutcome) {
  EXPECT_THAT(complaint(with_row("4,4,4,2")),
              AllOf(HasSubstr("log.csv': outcome 'y' is 2 in row 4"), HasSubstr("0 or 1")));
  EXPECT_THAT(complaint(with_row("4,4,4,")), HasSubstr("outcome 'y' is missing in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,4,yes")), HasSubstr("column 'y' is 'yes' in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,4,inf"), kRoles, OutcomeKind::kReal),
              HasSubstr("outcome 'y' is infinite in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,4,1.5"), kRoles, OutcomeKind::kCount),
              HasSubstr("outcome 'y' is 1.5 in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,4,-1"), kRoles, OutcomeKind::kCount),
              HasSubstr("must be a count"));
}

TEST(BadLog, AcceptsTheOutcomesOfOtherFamilies) {
  const Folder folder;
  const auto file = folder.write("log.csv", with_row("4,4,4,7"));
  EXPECT_EQ(read_log(file, kRoles, OutcomeKind::kCount).outcomes()[3], 7);
  EXPECT_EQ(read_log(file, kRoles, OutcomeKind::kReal).outcomes()[3], 7);
}

TEST(BadLog, RefusesAConstantOutcome) {
  EXPECT_THAT(complaint("x,z,v,y\n1,1,3,1\n2,2,1,1\n"), HasSubstr("outcome 'y' is 1 in every row"));
}

TEST(BadLog, NamesTheRowOfABadFactor) {
  EXPECT_THAT(complaint(with_row("4,,4,1")), HasSubstr("factor 'z' is missing in row 4"));
  EXPECT_THAT(complaint(with_row("4,nan,4,1")), HasSubstr("factor 'z' is missing in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,-inf,1")), HasSubstr("factor 'v' is infinite in row 4"));
  EXPECT_THAT(complaint(with_row("4,cheap,4,1")), HasSubstr("column 'z' is 'cheap' in row 4"));
}

TEST(BadLog, NamesTheRowInALongLog) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 10000; ++i) csv += fmt::format("{},{},{},{}\n", i, i % 5, i % 7, i % 2);
  EXPECT_THAT(complaint(csv + "1,,1,1\n"), HasSubstr("factor 'z' is missing in row 10001"));
}

TEST(BadLog, RefusesConstantAndDuplicatedFactors) {
  EXPECT_THAT(complaint("x,z,v,y\n1,1,3,1\n2,1,1,0\n"),
              AllOf(HasSubstr("factor 'z' is 1 in every row"), HasSubstr("--factors")));
  EXPECT_THAT(complaint("x,z,v,y\n1,1,8,1\n2,2,6,0\n3,4,2,0\n4,0.1,9.8,1\n"),
              HasSubstr("factors 'z' and 'v' are the same up to scale and offset"));
}

TEST(BadLog, FindsDuplicatedFactorsThatStartConstant) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 9000; ++i) {
    const double z = i < 5000 ? 1.7e9 : 1.7e9 + i % 11;
    csv += fmt::format("{},{:.0f},{:.0f},{}\n", i % 4, z, 3 * z - 5, i % 2);
  }
  EXPECT_THAT(complaint(csv), HasSubstr("the same up to scale and offset"));
}

TEST(BadLog, AcceptsFactorsThatAreNearlyTheSame) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 5000; ++i)
    csv += fmt::format("{},{},{},{}\n", i % 4, i % 11, i % 11 + (i == 4999 ? 1 : 0), i % 2);
  const Folder folder;
  EXPECT_EQ(read_log(folder.write("log.csv", csv), kRoles).num_factors(), 2);
}

TEST(BadLog, RefusesAnInfiniteContext) {
  EXPECT_THAT(complaint(with_row("inf,4,4,1")), HasSubstr("context 'x' is infinite in row 4"));
}

TEST(BadLog, NamesTheRowOfAValueTooLargeForSinglePrecision) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 2999; ++i) csv += fmt::format("{},{},{},{}\n", i % 3, i % 5, i % 7, i % 2);
  EXPECT_THAT(complaint(csv + "1e300,1,1,0\n1,1,1,1\n"),
              AllOf(HasSubstr("context 'x' is 1e+300 in row 3000"), HasSubstr("rescale")));
  EXPECT_THAT(complaint(csv + "1,1,-1e300,0\n"), HasSubstr("factor 'v' is -1e+300 in row 3000"));
  EXPECT_THAT(complaint(with_row("1e300,4,4,1")), HasSubstr("context 'x' is 1e+300 in row 4"));
}

TEST(BadLog, RefusesAValueFarFromAllThatHaveAWeight) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 3000; ++i)
    csv += fmt::format("{},{},{},{}\n", i < 2048 ? (i % 2) * 1000 : i % 2, i % 5, i < 2048 ? 0 : 1,
                       i % 2);
  const Roles roles = changed([](Roles& r) {
    r.factors = {"z"};
    r.weight = "v";
  });
  EXPECT_THAT(complaint(csv + "1e40,1,0,1\n", roles),
              AllOf(HasSubstr("column 'x' has values from 0 to 1e+40"), HasSubstr("logarithm")));
}

TEST(BadLog, NamesTheFirstTextOfAContextOfNumbers) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 3000; ++i) {
    const std::string x = i == 70 ? "n/a" : i == 75 || i == 90 ? "abc" : fmt::format("{}", i);
    csv += fmt::format("{},{},{},{}\n", x, i % 5, i % 7, i % 2);
  }
  EXPECT_THAT(complaint(csv), AllOf(HasSubstr("context 'x' is 'abc' in row 76"),
                                    HasSubstr("nearly all its values are numbers"),
                                    HasSubstr("CAST(x AS VARCHAR) AS x")));
}

TEST(BadLog, TakesANumberLikeContextAsTextWhenAQuerySaysSo) {
  const Folder folder;
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 300; ++i)
    csv += fmt::format("{},{},{},{}\n", i == 7 ? "x" : "3", i % 5, i % 7, i % 2);
  const auto file = folder.write("log.csv", csv);
  const std::string query = "SELECT * REPLACE (CAST(x AS VARCHAR) AS x) FROM t";
  EXPECT_EQ(read_log(TableSource{file, query}, kRoles).encoder().contexts[0].levels.size(), 2U);
}

TEST(BadLog, TakesCodesWithLeadingZerosAsText) {
  const Folder folder;
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 300; ++i)
    csv += fmt::format("{},{},{},{}\n", i == 7 ? "02134" : "90210", i % 5, i % 7, i % 2);
  EXPECT_EQ(read_log(folder.write("log.csv", csv), kRoles).num_contexts(), 2);
}

TEST(BadLog, NamesTheFileAndItsRowInAGlob) {
  const Folder folder;
  folder.write("part1.csv", "x,z,v,y\n1,1,3,0\n2,2,1,1\n3,3,2,0\n");
  folder.write("part2.csv", "x,z,v,y\n");
  folder.write("part3.csv", "x,z,v,y\n4,4,4,1\n5,,5,0\n");
  const auto glob = folder.path("part*.csv");
  EXPECT_THAT(error_of([&] { read_log(glob, kRoles); }),
              HasSubstr("factor 'z' is missing in row 2 of '" + folder.path("part3.csv'")));
  folder.write("part3.csv", "x,z,v,y\n4,4,4,1\n5,5,5,0\n5,cheap,5,0\n");
  EXPECT_THAT(error_of([&] { read_log(glob, kRoles); }),
              HasSubstr("column 'z' is 'cheap' in row 3 of '" + folder.path("part3.csv'")));
}

TEST(BadLog, RefusesTooManyLevels) {
  std::string csv = "x,z,v,y\n";
  for (int i = 0; i < 1001; ++i) csv += fmt::format("id{},{},{},{}\n", i, i % 5, i % 7, i % 2);
  EXPECT_THAT(complaint(csv),
              AllOf(HasSubstr("context 'x' has more than 1000 different texts"),
                    HasSubstr("--exclude x"), HasSubstr("merge its values into fewer levels")));
}

TEST(BadLog, RefusesBadWeights) {
  const Roles roles = changed([](Roles& r) {
    r.factors = {"z"};
    r.weight = "v";
  });
  EXPECT_THAT(complaint(with_row("4,4,-1,1"), roles), HasSubstr("weight 'v' is -1 in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,,1"), roles), HasSubstr("weight 'v' is missing in row 4"));
  EXPECT_THAT(complaint(with_row("4,4,inf,1"), roles),
              HasSubstr("weight 'v' is infinite in row 4"));
  EXPECT_THAT(
      complaint(with_row("4,4,1e300,1"), roles),
      AllOf(HasSubstr("weight 'v' is 1e+300 in row 4"), HasSubstr("weights must be below 1e30")));
  EXPECT_THAT(complaint("x,z,v,y\n1,1,0,1\n2,2,0,0\n", roles),
              HasSubstr("weight 'v' is 0 in every row"));
}

TEST(BadLog, RefusesMissingGroupsAndTimes) {
  EXPECT_THAT(complaint("x,z,v,y\n1,1,a,1\n2,2,,0\n", changed([](Roles& r) {
                          r.factors = {"z"};
                          r.group = "v";
                        })),
              HasSubstr("group 'v' is missing in row 2"));
  EXPECT_THAT(complaint("x,z,v,y\n1,1,3,1\n2,2,,0\n", changed([](Roles& r) {
                          r.factors = {"z"};
                          r.time = "v";
                        })),
              HasSubstr("time 'v' is missing in row 2"));
}

TEST(BadLog, NamesTheOptionOfABadRole) {
  const std::string good = with_row("4,4,4,1");
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.contexts = {"xx"}; })),
              AllOf(HasSubstr("no column 'xx' (--context)"), HasSubstr("did you mean 'x'?")));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.factors = {"zz"}; })),
              HasSubstr("(--factors)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.outcome = "yy"; })),
              HasSubstr("(--outcome)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.weight = "w"; })), HasSubstr("(--weight)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.group = "w"; })), HasSubstr("(--group)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.time = "w"; })), HasSubstr("(--time)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.exclude = {"w"}; })),
              HasSubstr("(--exclude)"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.contexts.clear(); })),
              HasSubstr("--context names no column"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.factors.clear(); })),
              HasSubstr("--factors names no column"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.outcome.clear(); })),
              HasSubstr("--outcome names no column"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) {
                          r.contexts = {"all"};
                          r.exclude = {"x"};
                        })),
              HasSubstr("no context column is left"));
}

TEST(BadLog, RefusesAnEmptyColumnName) {
  const std::string good = with_row("4,4,4,1");
  EXPECT_EQ(complaint(good, changed([](Roles& r) {
                        r.contexts = {"x", ""};
                      })),
            "--context: one of the column names in the list is empty; remove the extra "
            "comma from the list");
  EXPECT_EQ(complaint(good, changed([](Roles& r) {
                        r.factors = {"", "z"};
                      })),
            "--factors: one of the column names in the list is empty; remove the extra "
            "comma from the list");
  EXPECT_EQ(complaint(good, changed([](Roles& r) {
                        r.contexts = {"all"};
                        r.exclude = {""};
                      })),
            "--exclude: one of the column names in the list is empty; remove the extra "
            "comma from the list");
}

TEST(BadLog, RefusesARoleGivenTwice) {
  const std::string good = with_row("4,4,4,1");
  EXPECT_THAT(complaint(good, changed([](Roles& r) {
                          r.contexts = {"x", "z"};
                        })),
              HasSubstr("column 'z' is given to both --context and --factors"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) {
                          r.factors = {"z", "z"};
                        })),
              HasSubstr("--factors names column 'z' twice"));
  EXPECT_THAT(complaint(good, changed([](Roles& r) { r.exclude = {"x"}; })),
              HasSubstr("given to both --context and --exclude"));
}

TEST(BadLog, RefusesColumnsInMemoryThatDoNotMatch) {
  const std::vector<double> two = {1, 2}, three = {1, 2, 4}, y = {0, 1, 1};
  const std::vector<std::string_view> texts = {"a", "b", "c"};
  EXPECT_THAT(error_of([&] {
                make_log({{"x", two, {}}}, {{"z", three, {}}}, y);
              }),
              HasSubstr("column 'x' has 2 rows, but the outcome has 3 rows"));
  EXPECT_THAT(error_of([&] {
                make_log({{"x", three, {}}}, {{"z", {}, texts}}, y);
              }),
              HasSubstr("column 'z' is text"));
  EXPECT_THAT(error_of([&] {
                make_log({{"x", three, {}}}, {{"z", three, {}}}, {});
              }),
              HasSubstr("has no rows"));
}

}  // namespace
}  // namespace otss
