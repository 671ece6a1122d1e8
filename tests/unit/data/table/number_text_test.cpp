#include "data/table/number_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <string>

namespace otss {
namespace {

using namespace internal;

TEST(NumberText, RecognisesWhatReadsAsANumber) {
  for (const char* text : {"1", "-1.5", "+3", " 7 ", ".5", "1e-400", "1E5", "inf", "-Infinity"})
    EXPECT_TRUE(is_number(text)) << text;
  for (const char* text :
       {"", " ", "abc", "1x", "1 2", "+-1", "nan(1)", "1,5", "0x10", "1_000", "true"})
    EXPECT_FALSE(is_number(text)) << text;
}

TEST(NumberText, ReadsTheNumberThatATextIs) {
  EXPECT_EQ(parse_number(" +1.5e3 "), 1500);
  EXPECT_EQ(parse_number("0.1"), 0.1);
  EXPECT_EQ(parse_number("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_number("1e-400"), 0);
  EXPECT_EQ(parse_number("1_000"), std::nullopt);
}

TEST(NumberText, ReadsShortNumbersToTheSameBit) {
  for (const char* text : {"0", "-0", "1", "-12.5", "007", ".5", "0.1", "123456789.123456",
                           "9007199254740992", "0.000000000000001", "-99999.99999"}) {
    ASSERT_TRUE(short_number(text).has_value()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(*short_number(text)),
              std::bit_cast<std::uint64_t>(*parse_number(text)))
        << text;
  }
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = (i + 1) * 0x9E3779B97F4A7C15ULL;
    std::string text = std::to_string(bits >> (11 + bits % 40));
    text.insert(bits % text.size(), 1, '.');
    const auto found = short_number(text);
    if (found) {
      ASSERT_EQ(found, parse_number(text)) << text;
    }
  }
}

TEST(NumberText, LeavesOtherTextsToTheSlowWay) {
  for (const char* text : {"", "-", ".", "5.", "+1", " 1", "1e5", "1.2.3", "--1", "nan", "1,5",
                           "0.12345678901234567", "9007199254740993", "1234567890123456789012"})
    EXPECT_EQ(short_number(text), std::nullopt) << text;
}

TEST(NumberText, TellsWholeNumbersFromOthersAndFromCodes) {
  for (const char* text : {"0", "-12", "9223372036854775807"})
    EXPECT_TRUE(is_whole_number(text)) << text;
  for (const char* text : {"1.0", "+1", " 1", "-0", "007", "9223372036854775808", ""})
    EXPECT_FALSE(is_whole_number(text)) << text;
  EXPECT_TRUE(is_code("007"));
  EXPECT_TRUE(is_code("-01"));
  EXPECT_FALSE(is_code("0.5"));
  EXPECT_FALSE(is_code("0"));
}

}  // namespace
}  // namespace otss
