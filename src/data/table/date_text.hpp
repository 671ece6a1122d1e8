// This header reads dates and times as people write them: "03.04.2026", "4/13/2026 14:30", "14:30".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otss/data/reading_rules.hpp"

namespace otss::internal {

// A date that is written as three numbers, the last of which is the year. A time of day may follow.
struct WrittenDate {
  int first = 0, second = 0, year = 0;
  char separator = '.';    // '.', '/' or '-'
  std::string_view clock;  // the time of day; empty if there is none

  // With points, as in 03.04.2026, the day always comes first.
  bool is_day_first_anyway() const { return separator == '.'; }
};

// Returns the parts of a date whose last number is a year of four digits. A time of day may follow
// the date. Returns nothing if the text is not such a date, or if neither order of day and month
// gives a possible date.
std::optional<WrittenDate> parse_written_date(std::string_view text);

// True for a time of day: "14:30", "9:05:30", "2:30 pm".
bool is_clock(std::string_view text);

// Returns the date and time in ISO form ("2026-04-03 14:30:00"). A time of day without a date gets
// the date 1970-01-01. Returns nothing if the text is neither a date nor a time of day. `order` is
// needed for dates with slashes or hyphens. Without `order`, only dates with points are accepted.
std::optional<std::string> iso_date(std::string_view text, std::optional<DateOrder> order);

}  // namespace otss::internal
