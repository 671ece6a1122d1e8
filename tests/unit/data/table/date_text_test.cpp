#include "data/table/date_text.hpp"

#include <gtest/gtest.h>

namespace otss {
namespace {

using namespace internal;

constexpr auto kDayFirst = DateOrder::kDayFirst;
constexpr auto kMonthFirst = DateOrder::kMonthFirst;

TEST(DateText, ReadsDatesAndTimesAsPeopleWriteThem) {
  EXPECT_EQ(iso_date("03.04.2026", std::nullopt), "2026-04-03 00:00:00");
  EXPECT_EQ(iso_date("3.4.2026 14:30", kMonthFirst), "2026-04-03 14:30:00");
  EXPECT_EQ(iso_date("03/04/2026", kDayFirst), "2026-04-03 00:00:00");
  EXPECT_EQ(iso_date("03/04/2026", kMonthFirst), "2026-03-04 00:00:00");
  EXPECT_EQ(iso_date("03-04-2026 9:05:07.25", kDayFirst), "2026-04-03 09:05:07.25");
  EXPECT_EQ(iso_date("4/13/2026 2:30 pm", kMonthFirst), "2026-04-13 14:30:00");
  EXPECT_EQ(iso_date("12:15 AM", std::nullopt), "1970-01-01 00:15:00");
  EXPECT_EQ(iso_date(" 14:30 ", std::nullopt), "1970-01-01 14:30:00");
}

TEST(DateText, LeavesOtherTextsAlone) {
  for (const char* text : {"2026-04-03", "32.01.2026", "01.13.2026", "1.2.26", "10.0.0.1", "25:00",
                           "13:60", "14:30 o'clock", "13:00 pm", "03.04/2026", "", "abc"})
    EXPECT_EQ(iso_date(text, kDayFirst), std::nullopt) << text;
  EXPECT_EQ(iso_date("03/04/2026", std::nullopt), std::nullopt) << "the order is not known";
  EXPECT_EQ(iso_date("13/04/2026", kMonthFirst), std::nullopt);
}

TEST(DateText, SeesWhichNumberIsTheDay) {
  EXPECT_EQ(parse_written_date("13/04/2026")->first, 13);
  EXPECT_TRUE(parse_written_date("03.04.2026")->is_day_first_anyway());
  EXPECT_FALSE(parse_written_date("13/13/2026"));
}

}  // namespace
}  // namespace otss
