#include "otss/data/encoder.hpp"

#include <cmath>
#include <limits>

#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kMissing;

Encoder example() {
  Encoder encoder;
  encoder.contexts.push_back({"age", ColumnKind::kNumber, 40, 10, {}, {}, true, 0.25});
  encoder.contexts.push_back(
      {"region", ColumnKind::kText, 0, 0, {"north", "south"}, {0.75, 0.25}, false, 0});
  encoder.contexts.push_back({"always 3", ColumnKind::kNumber, 3, 0, {}, {}, false, 0});
  encoder.factors.push_back({"price", 5, 2});
  return encoder;
}

std::vector<double> encode(const Encoder& encoder, const std::vector<RawValue>& row,
                           const EncodeOptions& options = {}) {
  std::vector<double> encoded(static_cast<std::size_t>(encoder.num_encoded()));
  encoder.encode(row, encoded, options, 16);
  return encoded;
}

TEST(Encoder, NamesWhatItEncodes) {
  EXPECT_EQ(example().num_encoded(), 4);
  EXPECT_THAT(example().encoded_names(),
              ElementsAre("age", "age is missing", "region=north", "region=south"));
}

TEST(Encoder, AsksForTextColumnsAsText) {
  const auto requests = example().context_requests();
  EXPECT_EQ(requests[0].name, "age");
  EXPECT_FALSE(requests[0].as_text);
  EXPECT_TRUE(requests[1].as_text);
}

TEST(Encoder, StandardisesNumbersAndCentresIndicators) {
  EXPECT_THAT(encode(example(), {60.0, std::string_view("north"), 3.0}),
              ElementsAre(2, -0.5, 0.5, -0.5));
  EXPECT_THAT(encode(example(), {30.0, std::string_view("south"), 3.0}),
              ElementsAre(-1, -0.5, -1.5, 1.5));
}

TEST(Encoder, EncodesAMissingNumberAsTheMeanAndItsIndicator) {
  EXPECT_THAT(encode(example(), {kNaN, std::string_view("north"), 3.0}),
              ElementsAre(0, 1.5, 0.5, -0.5));
}

TEST(Encoder, CountsUnknownLevelsAndUnexpectedMissingValues) {
  UnknownCounts counts;
  const EncodeOptions options{.counts = &counts};
  EXPECT_THAT(encode(example(), {40.0, std::string_view("mars"), 3.0}, options),
              ElementsAre(0, -0.5, -1.5, -0.5));
  EXPECT_EQ(counts.unknown_levels, 1U);
  EXPECT_THAT(encode(example(), {40.0, kMissing, 3.0}, options), ElementsAre(0, -0.5, 0, 0))
      << "the mean";
  EXPECT_EQ(counts.unexpected_missing, 1U);
  encode(example(), {kNaN, std::string_view("north"), kNaN}, options);
  EXPECT_EQ(counts.unexpected_missing, 1U)
      << "expected in age, without effect in a constant column";
}

TEST(Encoder, RefusesUnknownsWhenAskedTo) {
  const EncodeOptions strict{.unknown = UnknownPolicy::kError, .table = "new.csv"};
  EXPECT_THAT(error_of([&] {
                encode(example(), {40.0, std::string_view("mars"), 3.0}, strict);
              }),
              AllOf(HasSubstr("column 'region' is 'mars'"),
                    HasSubstr("a level that no training row had"), HasSubstr("row 17")));
  EXPECT_THAT(error_of([&] {
                encode(example(), {40.0, kMissing, 3.0}, strict);
              }),
              AllOf(HasSubstr("column 'region' is missing"), HasSubstr("row 17")));
}

Encoder with_range() {
  Encoder encoder = example();
  encoder.contexts[0].range = {20, 60};
  return encoder;
}

TEST(Encoder, CountsNumbersThatAreFurtherOutsideTheRangeThanTheRangeIsWide) {
  UnknownCounts counts;
  const EncodeOptions options{.counts = &counts};
  for (const double age : {-20.0, 100.0, 61.0})
    encode(with_range(), {age, std::string_view("north"), 3.0}, options);
  EXPECT_THAT(counts.far_values, testing::IsEmpty()) << "as far as the range is wide is not far";
  for (const double age : {-21.0, 101.0, 1e6})
    encode(with_range(), {age, std::string_view("north"), 1e9}, options);
  EXPECT_THAT(counts.far_values, ElementsAre(3, 0, 0)) << "a constant column has no effect";
  EXPECT_EQ(counts.num_far_values(), 3U);
  EXPECT_TRUE(example().contexts[0].is_far(141)) << "10 deviations, where the range is not known";
  EXPECT_FALSE(example().contexts[0].is_far(139));
}

TEST(Encoder, RefusesFarNumbersWhenAskedTo) {
  const EncodeOptions strict{.table = "new.csv", .outside = OutsidePolicy::kError};
  EXPECT_THAT(error_of([&] {
                encode(with_range(), {1e6, std::string_view("north"), 3.0}, strict);
              }),
              AllOf(HasSubstr("'new.csv': column 'age' is 1000000 in row 17, far outside the range "
                              "of training (20 to 60)"),
                    HasSubstr("--outside warn")));
}

TEST(Encoder, AlwaysRefusesNumbersThatNoContextCanHave) {
  const auto complaint = [](double age) {
    return error_of([&] { encode(with_range(), {age, std::string_view("north"), 3.0}); });
  };
  EXPECT_THAT(complaint(-1e200), HasSubstr("column 'age' is -1e+200 in row 17, more than 1e+15"));
  EXPECT_THAT(complaint(1e308), HasSubstr("standard deviations from the mean"));
  Encoder encoder = with_range();
  encoder.contexts[0].type = ValueType::kBoolean;
  EXPECT_THAT(error_of([&] {
                encode(encoder, {2, std::string_view("north"), 3.0});
              }),
              HasSubstr("is 2 in row 17, but training had true and false in this column"));
}

TEST(Encoder, RefusesAColumnOfAnotherType) {
  const Folder folder;
  Encoder encoder;
  encoder.contexts.push_back({.name = "a", .scale = 1, .type = ValueType::kWholeNumber});
  const auto check = [&](ValueType trained, const char* cells) {
    encoder.contexts[0].type = trained;
    encoder.require_columns(TableReader(folder.write("t.csv", std::string("a\n") + cells)));
  };
  const auto given = [&](ValueType trained, const char* cells) {
    return error_of([&] { check(trained, cells); });
  };
  EXPECT_THAT(given(ValueType::kNumber, "2024-01-01\n"),
              HasSubstr("column 'a' has dates or times, but in training it had numbers"));
  EXPECT_THAT(given(ValueType::kWholeNumber, "true\n"), HasSubstr("has true or false"));
  EXPECT_THAT(given(ValueType::kTime, "5\n"), HasSubstr("in training it had dates or times"));
  EXPECT_THAT(given(ValueType::kBoolean, "2024-01-01\n"),
              HasSubstr("in training it had true or false"));
  EXPECT_NO_THROW(check(ValueType::kBoolean, "1\n0\n"));
  EXPECT_NO_THROW(check(ValueType::kTime, "NA\n\"\"\n")) << "no value, so no type";
  EXPECT_NO_THROW(check(ValueType::kUnknown, "2024-01-01\n")) << "a model of file version 1";
}

TEST(Encoder, RefusesAnInfiniteContext) {
  EXPECT_THAT(error_of([&] {
                encode(example(), {INFINITY, std::string_view("north"), 3.0});
              }),
              HasSubstr("column 'age' is infinite in row 17"));
}

TEST(Encoder, EncodesAChunkAsItEncodesItsRows) {
  const Encoder encoder = example();
  const std::vector<double> ages = {60, kNaN, 41.5};
  const std::vector<std::string_view> regions = {"south", "north", "mars"};
  const std::vector<double> constants = {3, 3, 3};
  TableChunk chunk{0, 3, {}};
  chunk.columns.push_back({ColumnKind::kNumber, ages, {}});
  chunk.columns.push_back({ColumnKind::kText, {}, regions});
  chunk.columns.push_back({ColumnKind::kNumber, constants, {}});
  UnknownCounts counts;
  std::vector<double> encoded(12);
  encoder.encode(chunk, encoded, {.counts = &counts});
  EXPECT_EQ(counts.unknown_levels, 1U);
  for (std::size_t row = 0; row < 3; ++row) {
    const auto expected = encode(encoder, {ages[row], regions[row], constants[row]});
    EXPECT_TRUE(
        std::equal(expected.begin(), expected.end(), encoded.begin() + static_cast<long>(row) * 4));
  }
}

TEST(Encoder, ValidatesEveryField) {
  EXPECT_NO_THROW(example().validate());
  const auto complaint = [](auto spoil) {
    Encoder encoder = example();
    spoil(encoder);
    return error_of([&] { encoder.validate(); });
  };
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[0].center = kNaN; }),
              HasSubstr("'age' has a centre"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[0].scale = -1; }),
              HasSubstr("scale that is negative or not finite"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[0].levels = {"a"}; }),
              HasSubstr("is a number but has levels"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[1].scale = 1; }),
              HasSubstr("is text but has a scale"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[1].level_frequencies.pop_back(); }),
              HasSubstr("different numbers"));
  EXPECT_THAT(complaint([](Encoder& e) {
                e.contexts[1].levels = {"b", "a"};
              }),
              HasSubstr("repeated or out of order"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[1].level_frequencies[0] = 2; }),
              HasSubstr("outside 0 to 1"));
  EXPECT_THAT(complaint([](Encoder& e) { e.contexts[0].missing_frequency = kNaN; }),
              HasSubstr("outside 0 to 1"));
  EXPECT_THAT(complaint([](Encoder& e) {
                e.contexts[0].range = {2, 1};
              }),
              HasSubstr("'age' has a range that is reversed or not finite"));
  EXPECT_THAT(complaint([](Encoder& e) {
                e.contexts[1].range = {1, 2};
              }),
              HasSubstr("'region' is text but has a range"));
  EXPECT_THAT(complaint([](Encoder& e) { e.reading.missing = {"NA"}; }),
              HasSubstr("'NA' for a missing value must be in small letters"));
  EXPECT_THAT(complaint([](Encoder& e) { e.reading.decimal = ';'; }),
              HasSubstr("the decimal sign ';' is unknown"));
  EXPECT_THAT(complaint([](Encoder& e) { e.factors[0].scale = 0; }),
              HasSubstr("'price' has a scale that is not a positive number"));
  EXPECT_THAT(complaint([](Encoder& e) { e.factors[0].center = INFINITY; }),
              HasSubstr("'price' has a centre"));
  EXPECT_THAT(complaint([](Encoder& e) { e.factors[0].name = "age"; }),
              HasSubstr("'age' is given twice"));
}

TEST(Encoder, TakesPlainTextsAndNumbersAsValues) {
  const std::string region = "south";
  EXPECT_THAT(encode(example(), {60, "north", 0}), ElementsAre(2, -0.5, 0.5, -0.5));
  EXPECT_THAT(encode(example(), {30, region, 3}), ElementsAre(-1, -0.5, -1.5, 1.5));
  const char* const missing = nullptr;
  EXPECT_EQ(RawValue(missing).text.data(), nullptr);
  EXPECT_EQ(RawValue("41").kind, ColumnKind::kText);
  EXPECT_EQ(RawValue(true).number, 1);
}

TEST(Encoder, ReadsATableByTheRulesOfTraining) {
  const Folder folder;
  Encoder encoder = example();
  encoder.reading.missing.push_back("gone");
  const TableSource source{.path = folder.write("t.csv", "age\n1\ngone\n"), .threads = 1};
  const Table table = read_table(TableReader(encoder.as_trained(source)), {{"age"}});
  EXPECT_TRUE(table.columns[0].missing[1]);
  EXPECT_THAT(error_of([&] { read_table(TableReader(source), {{"age"}}); }),
              HasSubstr("'age' is 'gone' in row 2"));
}

// Two text columns, city and chain, of which two pairs were logged.
Encoder with_pairs() {
  Encoder encoder;
  encoder.contexts.push_back(
      {"city", ColumnKind::kText, 0, 0, {"bonn", "ulm"}, {0.5, 0.5}, false, 0});
  encoder.contexts.push_back(
      {"chain", ColumnKind::kText, 0, 0, {"a", "b"}, {0.25, 0.75}, false, 0});
  encoder.level_pairs.push_back({0, 1, {{0, 1}, {1, 0}}, {0.5, 0.25}});
  return encoder;
}

TEST(Encoder, EncodesPairsOfLevelsAfterTheContexts) {
  const Encoder encoder = with_pairs();
  encoder.validate();
  EXPECT_THAT(encoder.encoded_names(), ElementsAre("city=bonn", "city=ulm", "chain=a", "chain=b",
                                                   "city=bonn & chain=b", "city=ulm & chain=a"));
  EXPECT_THAT(encode(encoder, {"bonn", "b"}), ElementsAre(1, -1, -0.5, 0.5, 1, -0.5));
  EXPECT_THAT(encode(encoder, {"ulm", "a"}), ElementsAre(-1, 1, 1.5, -1.5, -1, 1.5));
  EXPECT_THAT(encode(encoder, {"ulm", "b"}), ElementsAre(-1, 1, -0.5, 0.5, -1, -0.5))
      << "a pair that was not logged";
  EXPECT_THAT(encode(encoder, {"mars", "b"}), ElementsAre(-1, -1, -0.5, 0.5, -1, -0.5));
}

TEST(Encoder, RefusesPairsThatCannotBe) {
  const auto refused = [](auto change) {
    Encoder encoder = with_pairs();
    change(encoder.level_pairs.front());
    return error_of([&] { encoder.validate(); });
  };
  EXPECT_THAT(refused([](LevelPairs& pairs) { pairs.second = 2; }), HasSubstr("two text columns"));
  EXPECT_THAT(refused([](LevelPairs& pairs) { pairs.pairs[1].second = 2; }),
              HasSubstr("levels that the columns do not have"));
  EXPECT_THAT(refused([](LevelPairs& pairs) { std::swap(pairs.pairs[0], pairs.pairs[1]); }),
              HasSubstr("out of order"));
  EXPECT_THAT(refused([](LevelPairs& pairs) { pairs.frequencies.pop_back(); }),
              HasSubstr("different numbers"));
  EXPECT_THAT(refused([](LevelPairs& pairs) { pairs.frequencies[0] = 2; }),
              HasSubstr("frequency outside 0 to 1"));
}

}  // namespace
}  // namespace otss
