#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "base/ranks/message.hpp"
#include "data/log/parts/part_summary.hpp"
#include "data/log/parts/read_part.hpp"
#include "data/log/tile_matrix.hpp"
#include "otss/base/error.hpp"
#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kRows = 3000;
const Roles kRoles{.contexts = {"age", "region"}, .factors = {"price", "price^2"}, .outcome = "y"};

struct LogColumns {
  std::vector<double> age, price, y;
  std::vector<std::string_view> region;

  LogColumns() {
    Rng rng(3);
    for (std::size_t i = 0; i < kRows; ++i) {
      age.push_back(i % 50 == 0 ? std::numeric_limits<double>::quiet_NaN() : 1e6 + rng.normal());
      price.push_back(rng.uniform(1, 5));
      y.push_back(rng.uniform() < 0.5 ? 1 : 0);
      // The level "west" is only in the last rows, and a missing text only in the first.
      region.push_back(i == 7       ? std::string_view()
                       : i > 2900   ? "west"
                       : i % 3 == 0 ? "north"
                                    : "south");
    }
  }
  TableReader reader(std::size_t first, std::size_t count) const {
    const auto part = [&](const auto& values) { return std::span(values).subspan(first, count); };
    return TableReader(table_in_memory("part", {{"age", part(age), {}},
                                                {"region", {}, part(region)},
                                                {"price", part(price), {}},
                                                {"y", part(y), {}}}));
  }
};

PartSummary sum_of_parts(const LogColumns& columns, const std::vector<std::size_t>& ends) {
  PartSummary whole = summarize_part(columns.reader(0, ends[0]), kRoles);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const PartSummary part =
        summarize_part(columns.reader(ends[i - 1], ends[i] - ends[i - 1]), kRoles);
    whole.add(PartSummary::from_bytes(part.bytes()));
  }
  return whole;
}

TEST(PartSummary, TheEncoderIsThatOfTheWholeLog) {
  const LogColumns columns;
  const Encoder found = sum_of_parts(columns, {1, 1000, kRows}).encoder();
  const Encoder expected = read_log(columns.reader(0, kRows), kRoles).encoder();
  ASSERT_EQ(found.contexts.size(), 2U);
  EXPECT_NEAR(found.contexts[0].center, expected.contexts[0].center, 1e-6);
  EXPECT_NEAR(found.contexts[0].scale, expected.contexts[0].scale, 1e-9);
  EXPECT_EQ(found.contexts[0].range, expected.contexts[0].range);
  EXPECT_EQ(found.contexts[0].missing_frequency, expected.contexts[0].missing_frequency);
  EXPECT_EQ(found.contexts[1], expected.contexts[1]);
  EXPECT_EQ(found.factors[1].term, expected.factors[1].term);
  EXPECT_NEAR(found.factors[1].scale, expected.factors[1].scale, 1e-9);
}

TEST(PartSummary, TextFactorsAndOutcomesAreRefusedByName) {
  const LogColumns columns;
  for (const Roles& roles :
       {Roles{.contexts = {"age"}, .factors = {"price", "region"}, .outcome = "y"},
        Roles{.contexts = {"age"}, .factors = {"price"}, .outcome = "region"}}) {
    EXPECT_THAT(error_of([&] { summarize_part(columns.reader(0, kRows), roles); }),
                testing::HasSubstr("column 'region' is text, but in a fit on partitions"));
  }
}

TEST(PartSummary, PartsOfDifferentKindsAreRefused) {
  const LogColumns columns;
  PartSummary whole = sum_of_parts(columns, {kRows});
  PartSummary other = whole;
  other.is_text[0] = true;
  EXPECT_THROW(whole.add(other), Error);
  other = whole;
  other.roles.contexts = {"age", "city"};
  EXPECT_THROW(whole.add(other), Error);
}

TEST(ReadPart, RowsAreEncodedAsInTheWholeLog) {
  const LogColumns columns;
  const LoggedData whole = read_log(columns.reader(0, kRows), kRoles);
  const EncodedPart part =
      read_part(columns.reader(1000, 1500), kRoles, whole.encoder(), OutcomeKind::kBinary, 1000);
  ASSERT_EQ(part.log.num_rows(), 1500U);
  for (std::size_t i = 0; i < 1500; i += 100) {
    EXPECT_EQ(part.log.outcomes()[i], whole.outcomes()[1000 + i]);
    for (int c = 0; c < whole.features().num_columns(); ++c)
      EXPECT_NEAR(part.log.features().at(i, c), whole.features().at(1000 + i, c), 2e-6);
  }
}

TEST(ReadPart, FingerprintsOfPartsAddUpToThatOfTheLog) {
  const LogColumns columns;
  const LoggedData whole = read_log(columns.reader(0, kRows), kRoles);
  const auto part = [&](std::size_t first, std::size_t count) {
    return read_part(columns.reader(first, count), kRoles, whole.encoder(), OutcomeKind::kBinary,
                     first);
  };
  Fingerprint sum = Fingerprint::from_state(part(0, 1000).fingerprint.state());
  sum.add(part(1000, kRows - 1000).fingerprint);
  EXPECT_EQ(sum.hex(lay_out_part(columns.reader(0, kRows), kRoles).described()),
            whole.fingerprint());
}

TEST(ReadPart, RowsTravelAsBytes) {
  const LogColumns columns;
  const LoggedData whole = read_log(columns.reader(0, kRows), kRoles);
  LoggedData::Parts parts;
  const std::vector<std::size_t> first{0, 5, 6}, second{200, 2999};
  append_rows(rows_as_bytes(rows_of(whole, first)), parts);
  append_rows(rows_as_bytes(rows_of(whole, second)), parts);
  ASSERT_EQ(parts.outcomes.size(), 5U);
  EXPECT_EQ(parts.features->at(4, 0), whole.features().at(2999, 0));
  EXPECT_EQ(parts.features->at(2, 1), whole.features().at(6, 1));
}

TEST(Message, ThatIsCutOffIsRefused) {
  MessageWriter writer;
  writer.put(std::string("text"));
  writer.put(std::vector<double>{1, 2});
  const std::string bytes = std::move(writer).take();
  MessageReader whole(bytes);
  EXPECT_EQ(whole.get<std::string>(), "text");
  EXPECT_EQ(whole.get<std::vector<double>>(), (std::vector<double>{1, 2}));
  MessageReader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
  EXPECT_EQ(cut.get<std::string>(), "text");
  EXPECT_THROW(cut.get<std::vector<double>>(), std::runtime_error);
}

}  // namespace
}  // namespace otss::internal
