#include "report/sections/varied_contexts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/sections/column_facts.hpp"
#include "unit/report/logged_world.hpp"

namespace otss::internal {
namespace {

using ::testing::ElementsAre;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A person of 30 in the north, one without an age in the south, one of 50 in a region that training
// did not have.
ContextSample three_contexts(const Encoder& encoder) {
  ContextSample sample{.num_rows = 3, .x = std::vector<double>(3 * encoder.num_encoded())};
  sample.raw = {{30, kMissing, 50}, {0, 1, -1}};
  const std::vector<RawValue> rows[] = {{30, "north"}, {kMissing, "south"}, {50, "west"}};
  for (std::size_t i = 0; i < 3; ++i)
    encoder.encode(rows[i],
                   std::span(sample.x).subspan(i * encoder.num_encoded(), encoder.num_encoded()));
  return sample;
}

TEST(SpacedPositions, AreEvenlySpacedAndNoneIsTwice) {
  EXPECT_THAT(spaced_positions(10, 4), ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(spaced_positions(3, 4), ElementsAre(0, 1, 2));
  EXPECT_THAT(spaced_positions(0, 4), ElementsAre());
}

TEST(VariedContexts, WithTheirOwnValuesAreAsTheyAre) {
  const Encoder encoder = two_experts().encoder();
  const ContextSample sample = three_contexts(encoder);
  const VariedContexts contexts(encoder, sample, 10);
  EXPECT_EQ(contexts.as_they_are(), sample.x);
  // A shift by 0 leaves out only the context without an age.
  std::vector<double> with_ages(sample.x.begin(), sample.x.begin() + 4);
  with_ages.insert(with_ages.end(), sample.x.begin() + 8, sample.x.end());
  EXPECT_EQ(contexts.shifted(0, 0), with_ages);
}

TEST(VariedContexts, ChangeOneColumnAndNoOther) {
  const Encoder encoder = two_experts().encoder();
  const ContextSample sample = three_contexts(encoder);
  const VariedContexts contexts(encoder, sample, 10);
  const std::vector<double> x = contexts.with(0, 60);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_DOUBLE_EQ(x[4 * row], 2) << "60 is two standard deviations above the mean of 40";
    EXPECT_DOUBLE_EQ(x[4 * row + 1], -0.2) << "the age is not missing";
    EXPECT_EQ(x[4 * row + 2], sample.x[4 * row + 2]);
    EXPECT_EQ(x[4 * row + 3], sample.x[4 * row + 3]);
  }
  EXPECT_DOUBLE_EQ(contexts.with(1, "south")[3], 1);
}

TEST(TypicalValues, AreTheMedianAndTheMostFrequentText) {
  const Encoder encoder = two_experts().encoder();
  LogSummary log;
  log.sample.num_rows = 4;
  log.sample.raw = {{20, 70, 30, kMissing}, {1, 1, 0, -1}};
  EXPECT_THAT(typical_values(encoder, &log),
              ElementsAre(TypicalValue(30.0), TypicalValue("south")));
  EXPECT_THAT(typical_values(encoder, nullptr),
              ElementsAre(TypicalValue(40.0), TypicalValue("north")));
  log.sample.raw[0] = {kMissing, kMissing, kMissing, 20};
  EXPECT_EQ(typical_values(encoder, &log)[0], TypicalValue()) << "most values are missing";
}

}  // namespace
}  // namespace otss::internal
