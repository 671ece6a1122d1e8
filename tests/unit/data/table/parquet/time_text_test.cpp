#include "data/table/parquet/time_text.hpp"

#include <gtest/gtest.h>

namespace otss::internal::parquet {
namespace {

TEST(TimeText, CountsDaysBeforeAndAfter1970) {
  EXPECT_EQ(parse_days("1970-01-01"), 0);
  EXPECT_EQ(parse_days("1969-12-31"), -1);
  EXPECT_EQ(parse_days("2000-03-01"), 11'017);
  EXPECT_EQ(parse_days("0001-01-01"), -719'162);
  EXPECT_EQ(parse_days("0001-12-31 (BC)"), -719'163);
  EXPECT_EQ(parse_days("10000-01-01"), 2'932'897);
  // The first and the last date of DuckDB.
  EXPECT_EQ(parse_days("5877642-06-25 (BC)"), -2'147'483'646);
  EXPECT_EQ(parse_days("5881580-07-10"), 2'147'483'646);
}

TEST(TimeText, CountsMicrosecondsAndNanoseconds) {
  EXPECT_EQ(parse_time("1970-01-02 00:00:01.5", false, false), 86'401'500'000);
  EXPECT_EQ(parse_time("1969-12-31 23:59:59", false, false), -1'000'000);
  EXPECT_EQ(parse_time("1970-01-01 00:00:00.000000001", true, false), 1);
  EXPECT_EQ(parse_time("1970-01-01 02:00:00+02", false, true), 0);
  EXPECT_EQ(parse_time("1969-12-31 20:30:00-03:30", false, true), 0);
}

TEST(TimeText, RefusesWhatIsNoDate) {
  for (const char* text :
       {"", "2026-4-3", "2026-04-31", "2023-02-29", "1900-02-29", "2026-13-01", "2026-04-03 ", "x"})
    EXPECT_EQ(parse_days(text), std::nullopt) << text;
  for (const char* text :
       {"2026-04-03", "2026-04-03 24:00:00", "2026-04-03 10:00", "2026-04-03 10:00:00.",
        "2026-04-03 10:00:00+02", "300000-01-01 00:00:00"})
    EXPECT_EQ(parse_time(text, false, false), std::nullopt) << text;
  EXPECT_EQ(parse_time("2026-04-03 10:00:00", false, true), std::nullopt);
}

}  // namespace
}  // namespace otss::internal::parquet
