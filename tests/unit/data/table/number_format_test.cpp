#include "data/table/number_format.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

TEST(NumberFormat, ReadsNumbersAsPeopleWriteThem) {
  const struct {
    const char* text;
    char decimal;
    const char* plain;
  } cases[] = {
      {"1,5", ',', "1.5"},
      {"-1,5", ',', "-1.5"},
      {",5", ',', ".5"},
      {"20,000", '.', "20000"},
      {"20.000", ',', "20000"},
      {"1,234,567.89", '.', "1234567.89"},
      {"1.234.567,89", ',', "1234567.89"},
      {"1 234", '.', "1234"},
      {"1\xC2\xA0"
       "234,5",
       ',', "1234.5"},
      {"1'234.5", '.', "1234.5"},
      {"$20,000", '.', "20000"},
      {"-$5", '.', "-5"},
      {"$-5", '.', "-5"},
      {"20 \xE2\x82\xAC", '.', "20"},
      {"\xC2\xA3"
       "3.20",
       '.', "3.20"},
      {"12 %", '.', "12"},
      {"EUR 12,50", ',', "12.50"},
      {"1'200 CHF", '.', "1200"},
      {"(300)", '.', "-300"},
      {"1.234,50-", ',', "-1234.50"},
      {" 7 ", ',', "7"},
      {"+7", '.', "7"},
      {"1e5", ',', "1e5"},
      {"1.5e-3", '.', "1.5e-3"},
      {"\xE2\x88\x92"
       "4",
       '.', "-4"},
  };
  for (const auto& [text, decimal, plain] : cases)
    EXPECT_EQ(plain_number(text, decimal), plain) << text;
}

TEST(NumberFormat, RefusesWhatIsNotANumberWithThisSign) {
  const struct {
    const char* text;
    char decimal;
  } cases[] = {
      {"1,5", '.'},     {"1.5", ','},       {"0,500", '.'}, {"1234,500", '.'},   {"1,23,456", '.'},
      {"1,2", '.'},     {"12,34,567", '.'}, {"", '.'},      {"$", '.'},          {"-", '.'},
      {"abc", '.'},     {"5 apples", '.'},  {"1.2.3", '.'}, {"10.04.2026", ','}, {"1,234.5", ','},
      {"1 234,5", '.'}, {"--5", '.'},       {"5%%", '.'},   {"14:30", '.'},
  };
  for (const auto& [text, decimal] : cases)
    EXPECT_EQ(plain_number(text, decimal), std::nullopt) << text << " with " << decimal;
}

TEST(NumberFormat, ReadsTheValueOfAWrittenNumber) {
  EXPECT_EQ(parse_written_number("-1.5", '.'), -1.5);
  EXPECT_EQ(parse_written_number("$20,000", '.'), 20000);
  EXPECT_EQ(parse_written_number("1e-5", ','), 1e-5);
  EXPECT_EQ(parse_written_number("1,5", ','), 1.5);
  EXPECT_EQ(parse_written_number("1.234", ','), 1234) << "a point separates thousands";
  EXPECT_EQ(parse_written_number("1.5", ','), std::nullopt);
  EXPECT_EQ(parse_written_number("abc", '.'), std::nullopt);
}

}  // namespace
}  // namespace otss
