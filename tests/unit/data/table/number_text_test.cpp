#include "data/table/number_text.hpp"

#include <gtest/gtest.h>

#include <limits>

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
