#include "otss/data/logged_data.hpp"

#include <fmt/core.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/random.hpp"
#include "data/log/log_layout.hpp"
#include "data/log/tile_matrix.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using namespace internal;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const Roles kRoles = {.contexts = {"age", "region"}, .factors = {"price", "stops"}, .outcome = "y"};

// Five rows that are fine; tests spoil one thing at a time.
const std::string kGood =
    "age,region,price,stops,y\n"
    "40,north,1,0,1\n"
    "60,south,2,1,0\n"
    ",north,3,0,1\n"
    "50,,4,2,0\n"
    "50,east,5,2,1\n";

LoggedData read_text(const Folder& folder, const std::string& csv, const Roles& roles = kRoles,
                     OutcomeKind kind = OutcomeKind::kBinary) {
  return read_log(folder.write("log.csv", csv), roles, kind);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LoggedData, HoldsContextsThenFactorsStandardised) {
  const Folder folder;
  const LoggedData log = read_text(folder, kGood);
  EXPECT_EQ(log.num_rows(), 5U);
  EXPECT_THAT(log.encoder().encoded_names(),
              ElementsAre("age", "age is missing", "region=east", "region=north", "region=south",
                          "region is missing"));
  EXPECT_EQ(log.num_contexts(), 6);
  EXPECT_EQ(log.num_factors(), 2);
  EXPECT_EQ(log.encoder().contexts[0].center, 50);
  EXPECT_NEAR(log.encoder().contexts[0].scale, std::sqrt(50), 1e-12);
  EXPECT_DOUBLE_EQ(log.encoder().contexts[0].missing_frequency, 0.2);
  EXPECT_EQ(log.encoder().factors[0].center, 3);
  EXPECT_NEAR(log.encoder().factors[0].scale, std::sqrt(2), 1e-12);
  EXPECT_THAT(log.outcomes(), ElementsAre(1, 0, 1, 0, 1));
  EXPECT_TRUE(log.weights().empty());
  EXPECT_TRUE(log.groups().empty());
  EXPECT_TRUE(log.times().empty());
  EXPECT_NO_THROW(log.encoder().validate());
}

TEST(LoggedData, HoldsWhatItsEncoderWouldSayOfTheRawRows) {
  const Folder folder;
  const LoggedData log = read_text(folder, kGood);
  const std::vector<double> ages = {40, 60, kNaN, 50, 50};
  const std::vector<std::string_view> regions = {"north", "south", "north", {}, "east"};
  std::vector<double> x(6);
  for (std::size_t row = 0; row < 5; ++row) {
    log.encoder().encode(std::vector<RawValue>{ages[row], regions[row]}, x);
    for (int c = 0; c < 6; ++c)
      EXPECT_NEAR(log.features().at(row, c), x[static_cast<std::size_t>(c)], 1e-6);
    EXPECT_NEAR(log.features().at(row, 6), (static_cast<double>(row) - 2) / std::sqrt(2), 1e-6);
  }
}

TEST(LoggedData, CentresEveryColumnOfALongLogAndPadsWithZeros) {
  const std::size_t n = 40001;  // several blocks and an unfinished tile
  Rng rng(1);
  std::vector<double> a(n), b(n), z(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = 1.7e9 + static_cast<double>(i);  // unix seconds: f32 alone would keep 128-second steps
    b[i] = rng.uniform() < 0.1 ? kNaN : rng.normal() * 1e-20;
    z[i] = rng.normal() + 100;
    y[i] = rng.uniform() < 0.5 ? 1 : 0;
  }
  const LoggedData log = make_log({{"a", a, {}}, {"b", b, {}}}, {{"z", z, {}}}, y);
  ASSERT_EQ(log.num_contexts(), 3);
  for (int c = 0; c < 4; ++c) {
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += log.features().at(i, c);
      squares += std::pow(log.features().at(i, c), 2);
    }
    EXPECT_NEAR(sum / static_cast<double>(n), 0, 1e-5) << c;
    if (c == 0 || c == 3) {
      EXPECT_NEAR(squares / static_cast<double>(n), 1, 1e-5) << c;
    }
  }
  const double step = 1 / log.encoder().contexts[0].scale;
  EXPECT_NEAR(log.features().at(20001, 0) - log.features().at(20000, 0), step, step * 1e-2);
  EXPECT_NEAR(log.features().at(5, 3),
              (z[5] - log.encoder().factors[0].center) / log.encoder().factors[0].scale, 1e-5);
  const std::size_t last = log.features().num_tiles() - 1;
  for (std::size_t row = n % kTileRows; row < kTileRows; ++row)
    EXPECT_EQ(log.features().column(last, 1)[row], 0);
}

TEST(LoggedData, IsTheSameFromEveryFormatAndFromMemory) {
  const Folder folder;
  Rng rng(2);
  std::string csv = "x,region,z,y\n";
  std::vector<double> x, z, y;
  std::vector<std::string_view> region;
  for (int i = 0; i < 5000; ++i) {
    x.push_back(rng.uniform() < 0.05 ? kNaN : rng.normal());
    z.push_back(rng.normal());
    y.push_back(rng.below(2) == 0 ? 0 : 1);
    region.push_back(i % 3 == 0 ? "north" : "south");
    csv += fmt::format("{},{},{},{}\n", std::isnan(x.back()) ? "" : fmt::format("{}", x.back()),
                       region.back(), z.back(), y.back());
  }
  const Roles roles = {.contexts = {"x", "region"}, .factors = {"z"}, .outcome = "y"};
  const auto file = folder.write("log.csv", csv);
  const LoggedData from_memory =
      make_log({{"x", x, {}}, {"region", {}, region}}, {{"z", z, {}}}, y);
  for (const std::string& path :
       {file, folder.convert(file, "log.parquet"), folder.convert(file, "log.json")}) {
    const LoggedData log = read_log(path, roles);
    EXPECT_EQ(log.encoder(), from_memory.encoder()) << path;
    EXPECT_EQ(log.fingerprint(), from_memory.fingerprint()) << path;
    EXPECT_EQ(log.roles(), from_memory.roles());
    for (std::size_t tile = 0; tile < log.features().num_tiles(); ++tile) {
      ASSERT_TRUE(std::equal(log.features().tile(tile),
                             log.features().tile(tile) + log.features().tile_size(),
                             from_memory.features().tile(tile)));
    }
    TableReader reader(TableSource{path, ""});
    EXPECT_EQ(fingerprint_table(reader, log.roles()), log.fingerprint());
  }
}

TEST(LoggedData, ChangesItsFingerprintWithAnyValueNameRoleOrOrder) {
  const Folder folder;
  const auto fingerprint = [&](const std::string& csv, const Roles& roles = kRoles) {
    return read_text(folder, csv, roles).fingerprint();
  };
  const std::string original = fingerprint(kGood);
  EXPECT_EQ(original.size(), 16U);
  EXPECT_EQ(fingerprint(kGood), original);
  EXPECT_NE(fingerprint(replaced(kGood, "40,", "41,")), original);
  EXPECT_NE(fingerprint(replaced(kGood, "east", "West")), original);
  EXPECT_NE(fingerprint(replaced(kGood, "50,,", "50,north,")), original);
  EXPECT_NE(fingerprint(replaced(kGood, "40,north,1,0,1\n60,south,2,1,0\n",
                                 "60,south,2,1,0\n40,north,1,0,1\n")),
            original);
  Roles swapped = kRoles;
  std::swap(swapped.factors[0], swapped.factors[1]);
  EXPECT_NE(fingerprint(kGood, swapped), original);
  Roles other = kRoles;
  other.contexts[0] = "AGE";
  EXPECT_NE(fingerprint(replaced(kGood, "age", "AGE"), other), original);
}

TEST(LoggedData, ReadsWeightsGroupsAndTimes) {
  const Folder folder;
  const Roles roles = {.contexts = {"x"},
                       .factors = {"z"},
                       .outcome = "y",
                       .weight = "w",
                       .group = "g",
                       .time = "t"};
  const LoggedData log = read_text(
      folder, "x,z,y,w,g,t\n1,2,0,0.5,b,2024-01-02\n2,3,1,0,a,2024-01-01\n4,1,1,2,b,2024-01-03\n",
      roles);
  EXPECT_THAT(log.weights(), ElementsAre(0.5F, 0, 2));
  EXPECT_THAT(log.groups(), ElementsAre(0, 1, 0));
  EXPECT_EQ(log.num_groups(), 2U);
  EXPECT_EQ(log.times()[2] - log.times()[1], 2 * 86400);
}

// Rows with weight 0, 1, 2, … beside as many copies of each.
TEST(LoggedData, EncodesAWeightedRowLikeAsManyRows) {
  Rng rng(3);
  std::vector<double> x, z, y, w, many_x, many_z, many_y;
  std::vector<std::string_view> region, many_region;
  for (int i = 0; i < 5000; ++i) {
    x.push_back(rng.uniform() < 0.1 ? kNaN : 50 + 9 * rng.normal());
    z.push_back(rng.normal());
    y.push_back(rng.below(2) == 0 ? 0 : 1);
    region.push_back(rng.uniform() < 0.2   ? std::string_view()
                     : rng.uniform() < 0.4 ? "north"
                                           : "south");
    w.push_back(static_cast<double>(rng.below(4)));
    for (int copy = 0; copy < w.back(); ++copy) {
      many_x.push_back(x.back());
      many_z.push_back(z.back());
      many_y.push_back(y.back());
      many_region.push_back(region.back());
    }
  }
  const LogExtras weighted = {.weight = {.name = "weight", .numbers = w}};
  const auto once =
      make_log({{"x", x, {}}, {"region", {}, region}}, {{"z", z, {}}}, y, weighted).encoder();
  const auto many =
      make_log({{"x", many_x, {}}, {"region", {}, many_region}}, {{"z", many_z, {}}}, many_y)
          .encoder();
  EXPECT_NEAR(once.contexts[0].center, many.contexts[0].center, 1e-9);
  EXPECT_NEAR(once.contexts[0].scale, many.contexts[0].scale, 1e-9);
  EXPECT_NEAR(once.contexts[0].missing_frequency, many.contexts[0].missing_frequency, 1e-12);
  EXPECT_EQ(once.contexts[1].levels, many.contexts[1].levels);
  EXPECT_NEAR(once.contexts[1].level_frequencies[0], many.contexts[1].level_frequencies[0], 1e-12);
  EXPECT_NEAR(once.contexts[1].missing_frequency, many.contexts[1].missing_frequency, 1e-12);
  EXPECT_NEAR(once.factors[0].center, many.factors[0].center, 1e-9);
  EXPECT_NEAR(once.factors[0].scale, many.factors[0].scale, 1e-9);
  EXPECT_GT(std::abs(once.factors[0].center), 1e-6) << "the agreement means something";
}

TEST(LoggedData, StillFindsTwinsAndConstantsAmongWeightedRows) {
  const std::vector<double> x = {1, 2, 3, 4}, z = {1, 1, 1, 2}, y = {0, 1, 0, 1}, w = {1, 2, 1, 0};
  const LogExtras weighted = {.weight = {.name = "weight", .numbers = w}};
  EXPECT_THAT(error_of([&] {
                make_log({{"x", x, {}}}, {{"z", z, {}}}, y, weighted);
              }),
              HasSubstr("factor 'z' is 1 in every row whose weight is above 0"));
  EXPECT_THAT(error_of([&] {
                make_log({{"y2", y, {}}}, {{"z", x, {}}, {"v", x, {}}}, y, weighted);
              }),
              HasSubstr("factors 'z' and 'v' are the same"));
}

TEST(LoggedData, TakesEveryOtherColumnAsContextWhenAskedForAll) {
  const Folder folder;
  const Roles roles = {
      .contexts = {"all"}, .factors = {"price"}, .outcome = "y", .exclude = {"region"}};
  EXPECT_THAT(read_text(folder, kGood, roles).roles().contexts, ElementsAre("age", "stops"));
}

TEST(LoggedData, EncodesAConstantContextToNothing) {
  const Folder folder;
  const std::string csv = "c,t,m,z,y\n7,same,,1,0\n7,same,5,2,1\n7,same,5,4,1\n";
  const LoggedData log =
      read_text(folder, csv, {.contexts = {"c", "t", "m"}, .factors = {"z"}, .outcome = "y"});
  EXPECT_THAT(log.encoder().encoded_names(), ElementsAre("m is missing"));
  EXPECT_EQ(log.encoder().contexts.size(), 3U)
      << "the columns are still asked for, and may be constant when serving";
}

TEST(LoggedData, ReadsAContextAgainAsTextWhenTextComesLate) {
  const Folder folder;
  std::string csv = "code,z,y\n";
  for (int i = 0; i < 30000; ++i) csv += fmt::format("{},{},{}\n", i % 3, i % 7, i % 2);
  std::string texts;
  for (int i = 0; i < 10000; ++i) texts += "x,1,0\n";
  const LoggedData log =
      read_text(folder, csv + texts, {.contexts = {"code"}, .factors = {"z"}, .outcome = "y"});
  EXPECT_THAT(log.encoder().contexts[0].levels, ElementsAre("0", "1", "2", "x"));
  EXPECT_EQ(log.num_rows(), 40000U);
  EXPECT_THAT(error_of([&] {
                read_text(folder, csv + "1,x,0\n",
                          {.contexts = {"code"}, .factors = {"z"}, .outcome = "y"});
              }),
              HasSubstr("column 'z' is 'x' in row 30001"));
}

TEST(LoggedData, AppliesAQuery) {
  const Folder folder;
  const auto file = folder.write("log.csv", kGood);
  EXPECT_EQ(read_log(TableSource{file, "SELECT * FROM t WHERE price < 5"}, kRoles).num_rows(), 4U);
}

// A name of a role is part of the fingerprint, the option that gives it on a command line is not.
// Both values must never change: models hold them.
TEST(LoggedData, HasAFingerprintOfRolesAndNotOfOptions) {
  const LogLayout layout = lay_out_log(kRoles,
                                       std::vector<ColumnInfo>{{"age", ColumnKind::kNumber},
                                                               {"region", ColumnKind::kText},
                                                               {"price", ColumnKind::kNumber},
                                                               {"stops", ColumnKind::kNumber},
                                                               {"y", ColumnKind::kNumber}},
                                       "log.csv");
  EXPECT_THAT(layout.described(), ElementsAre("context age", "context region", "factor price",
                                              "factor stops", "outcome y"));
  const Folder folder;
  EXPECT_EQ(read_text(folder, kGood).fingerprint(), "77564536ea610e87");
}

TEST(LoggedData, GivesAPartAFingerprintOfItsOwn) {
  const Folder folder;
  const LoggedData log = read_text(folder, kGood);
  const auto fingerprint = [&](const std::vector<std::size_t>& rows) {
    return rows_of(log, rows).fingerprint();
  };
  EXPECT_EQ(fingerprint({0, 1, 2, 3, 4}), log.fingerprint());
  EXPECT_EQ(fingerprint({0, 2, 4}), fingerprint({0, 2, 4}));
  EXPECT_NE(fingerprint({0, 2, 4}), log.fingerprint());
  EXPECT_NE(fingerprint({0, 2, 4}), fingerprint({4, 2, 0}));
  EXPECT_NE(fingerprint({0, 2, 4}), fingerprint({0, 2}));
  EXPECT_NE(fingerprint({1, 0, 2, 3, 4}), log.fingerprint());
}

TEST(LoggedData, KeepsTheTypeAndRangeOfEveryContext) {
  const Folder folder;
  const std::string csv =
      "whole,number,flag,day,text,empty,price,y\n"
      "-3,1.5,true,1970-01-02,a,,1,0\n"
      "12,NA,false,1970-01-03,b,,2,1\n"
      ",-2,true,1970-01-02,a,,4,1\n";
  const Roles roles = {.contexts = {"all"}, .factors = {"price"}, .outcome = "y"};
  const std::vector<ContextColumn> columns = read_text(folder, csv, roles).encoder().contexts;
  std::vector<ValueType> types;
  for (const ContextColumn& column : columns) types.push_back(column.type);
  EXPECT_THAT(types, ElementsAre(ValueType::kWholeNumber, ValueType::kNumber, ValueType::kBoolean,
                                 ValueType::kTime, ValueType::kText, ValueType::kNumber));
  EXPECT_EQ(columns[0].range, (ValueRange{-3, 12}));
  EXPECT_EQ(columns[1].range, (ValueRange{-2, 1.5}));
  EXPECT_EQ(columns[2].range, (ValueRange{0, 1}));
  EXPECT_EQ(columns[3].range, (ValueRange{86400, 2 * 86400}));
  EXPECT_FALSE(columns[4].range);
  EXPECT_FALSE(columns[5].range) << "no value was seen";
}

TEST(LoggedData, CallsAColumnWholeOnlyIfAllItsValuesAre) {
  const Folder folder;
  std::string csv = "x,z,y\n";
  for (int i = 0; i < 25000; ++i) csv += fmt::format("{},{},{}\n", i, i % 7, i % 2);
  const Roles roles = {.contexts = {"x"}, .factors = {"z"}, .outcome = "y"};
  EXPECT_EQ(read_text(folder, csv, roles).encoder().contexts[0].type, ValueType::kWholeNumber);
  csv += "0.5,1,0\n";  // after the rows by which a CSV is first judged
  EXPECT_EQ(read_text(folder, csv, roles).encoder().contexts[0].type, ValueType::kNumber);
}

TEST(LoggedData, KeepsTheRulesItWasReadBy) {
  const Folder folder;
  TableSource source{.path = folder.write("log.csv", replaced(kGood, "50,,4", "?,,4"))};
  source.rules.missing = {"?"};
  const LoggedData log = read_log(source, kRoles);
  EXPECT_EQ(log.encoder().reading.missing, source.rules.missing);
  EXPECT_EQ(log.encoder().reading.decimal, '.') << "as the values show";
  EXPECT_TRUE(log.encoder().reading.is_settled);
  EXPECT_DOUBLE_EQ(log.encoder().contexts[0].missing_frequency, 0.4);
}

TEST(LoggedData, IsTheSameBitsForAnyNumberOfThreads) {
  const Folder folder;
  Rng rng(3);
  std::string csv = "x,region,z,y\n";
  for (int i = 0; i < 30000; ++i)
    csv += fmt::format("{},r{},{},{}\n", rng.normal(), i % 5, rng.normal(), i % 2);
  const std::string file = folder.convert(folder.write("log.csv", csv), "log.parquet");
  const Roles roles = {.contexts = {"x", "region"}, .factors = {"z"}, .outcome = "y"};
  const LoggedData one = read_log(TableSource{.path = file, .threads = 1}, roles);
  const LoggedData three = read_log(TableSource{.path = file, .threads = 3}, roles);
  EXPECT_EQ(one.encoder(), three.encoder());
  EXPECT_EQ(one.fingerprint(), three.fingerprint());
  for (std::size_t tile = 0; tile < one.features().num_tiles(); ++tile) {
    ASSERT_TRUE(std::equal(one.features().tile(tile),
                           one.features().tile(tile) + one.features().tile_size(),
                           three.features().tile(tile)));
  }
}

// A log with two text columns. Row i has city i % 20 and chain chain_of(i).
std::string two_text_columns(const std::function<int(int)>& chain_of, int rows) {
  std::string csv = "city,chain,price,y\n";
  for (int i = 0; i < rows; ++i)
    csv += fmt::format("c{:02},s{:02},{},{}\n", i % 20, chain_of(i), i % 7, i % 2);
  return csv;
}

const Roles kTwoTexts = {.contexts = {"city", "chain"}, .factors = {"price"}, .outcome = "y"};

TEST(LoggedData, PairsTheLevelsOfTwoColumnsWithManyLevels) {
  const Folder folder;
  // Two chains per city: 40 pairs in 800 rows.
  const LoggedData log = read_text(
      folder, two_text_columns([](int i) { return (i % 20 + i / 20 % 2) % 20; }, 800), kTwoTexts);
  ASSERT_EQ(log.encoder().level_pairs.size(), 1U);
  EXPECT_EQ(log.encoder().level_pairs[0].pairs.size(), 40U);
  EXPECT_DOUBLE_EQ(log.encoder().level_pairs[0].frequencies[0], 20.0 / 800);
  EXPECT_EQ(log.num_contexts(), 80);

  std::vector<double> served(80);
  log.encoder().encode(std::vector<RawValue>{"c03", "s04"}, served);
  const std::size_t row = 23;
  for (int j = 0; j < 80; ++j)
    EXPECT_EQ(log.features().at(row, j), static_cast<float>(served[j])) << j;
}

TEST(LoggedData, PairsNoLevelsWherePairsWouldSayNothingOrTooMuch) {
  const Folder folder;
  const auto num_pairs = [&](const std::function<int(int)>& chain_of, int rows) {
    return read_text(folder, two_text_columns(chain_of, rows), kTwoTexts)
        .encoder()
        .level_pairs.size();
  };
  EXPECT_EQ(num_pairs([](int i) { return i % 20; }, 800), 0U) << "the city says the chain";
  EXPECT_EQ(num_pairs([](int i) { return i / 20 % 10; }, 2000), 0U) << "ten chains are few levels";
  EXPECT_EQ(num_pairs([](int i) { return i / 20 % 20; }, 800), 0U) << "two rows per pair are few";
}

}  // namespace
}  // namespace otss
