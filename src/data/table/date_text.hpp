// Dates and times as people write them: "03.04.2026", "4/13/2026 14:30", "14:30".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "otss/data/reading_rules.hpp"

namespace otss::internal {

// A date of three numbers, the year last, and what follows the date.
struct WrittenDate {
  int first = 0, second = 0, year = 0;
  char separator = '.';    // '.', '/' or '-'
  std::string_view clock;  // the time of day; empty if there is none

  // With points, as in 03.04.2026, the day always comes first.
  bool is_day_first_anyway() const { return separator == '.'; }
};

// Returns the parts of the date; nothing if the text is not a date that ends in a year of four
// digits, with an optional time of day behind it. Either order of day and month must be possible.
std::optional<WrittenDate> parse_written_date(std::string_view text);

// True for a time of day: "14:30", "9:05:30", "2:30 pm".
bool is_clock(std::string_view text);

// Returns the date and time in ISO form ("2026-04-03 14:30:00"); a time of day without a date is
// one of 1970-01-01. Returns nothing if the text is neither. `order` decides about dates with
// slashes or hyphens; without `order` only dates with points are known.
std::optional<std::string> iso_date(std::string_view text, std::optional<DateOrder> order);

}  // namespace otss::internal
