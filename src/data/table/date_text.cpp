#include "data/table/date_text.hpp"

#include <fmt/core.h>

#include <charconv>

#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"
#include "data/table/trimmed.hpp"

namespace otss::internal {
namespace {

constexpr int kMonths = 12;
constexpr int kMostDays = 31;

// Removes a number from the start of the text and returns it. The number must have `fewest` to
// `most` digits; otherwise nothing is removed or returned.
std::optional<int> take_number(std::string_view& text, std::size_t fewest, std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  if (count < fewest || count > most) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

struct Clock {
  int hour = 0, minute = 0, second = 0;
  std::string_view fraction;  // ".25", or empty
};

std::string_view take_fraction(std::string_view& text) {
  if (!text.starts_with('.')) return {};
  std::size_t count = 1;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view fraction = text.substr(0, count);
  text.remove_prefix(count);
  return fraction;
}

// If the text is "am" or "pm", changes the hour of a 12-hour clock to that of a 24-hour clock. A
// blank text changes nothing. Returns false for any other text, and if a 12-hour clock does not
// have the hour.
bool take_half_of_day(std::string_view text, Clock& clock) {
  text = trimmed(text);
  if (text.empty()) return true;
  const bool is_pm = equals_lower(text, "pm");
  if (!is_pm && !equals_lower(text, "am")) return false;
  if (clock.hour < 1 || clock.hour > 12) return false;
  clock.hour = clock.hour % 12 + (is_pm ? 12 : 0);
  return true;
}

std::optional<Clock> parse_clock(std::string_view text) {
  text = trimmed(text);
  Clock clock;
  const auto hour = take_number(text, 1, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2, 2);
  if (!minute) return std::nullopt;
  clock.hour = *hour;
  clock.minute = *minute;
  if (take(text, ':')) {
    const auto second = take_number(text, 2, 2);
    if (!second) return std::nullopt;
    clock.second = *second;
    clock.fraction = take_fraction(text);
  }
  if (!take_half_of_day(text, clock)) return std::nullopt;
  if (clock.hour > 23 || clock.minute > 59 || clock.second > 59) return std::nullopt;
  return clock;
}

bool can_be_day_and_month(int day, int month) {
  return day >= 1 && day <= kMostDays && month >= 1 && month <= kMonths;
}

std::string iso(int year, int month, int day, const Clock& clock) {
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}{}", year, month, day, clock.hour,
                     clock.minute, clock.second, clock.fraction);
}

}  // namespace

std::optional<WrittenDate> parse_written_date(std::string_view text) {
  text = trimmed(text);
  WrittenDate date;
  const auto first = take_number(text, 1, 2);
  if (!first || text.empty()) return std::nullopt;
  date.separator = text.front();
  if (date.separator != '.' && date.separator != '/' && date.separator != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto second = take_number(text, 1, 2);
  if (!second || !take(text, date.separator)) return std::nullopt;
  const auto year = take_number(text, 4, 4);
  if (!year) return std::nullopt;
  date.first = *first;
  date.second = *second;
  date.year = *year;
  if (!text.empty()) {
    if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
    date.clock = text;
    if (!parse_clock(text)) return std::nullopt;
  }
  const bool day_first = can_be_day_and_month(date.first, date.second);
  const bool month_first =
      !date.is_day_first_anyway() && can_be_day_and_month(date.second, date.first);
  if (!day_first && !month_first) return std::nullopt;
  return date;
}

bool is_clock(std::string_view text) { return parse_clock(text).has_value(); }

std::optional<std::string> iso_date(std::string_view text, std::optional<DateOrder> order) {
  if (const auto clock = parse_clock(text)) return iso(1970, 1, 1, *clock);
  const auto date = parse_written_date(text);
  if (!date) return std::nullopt;
  if (date->is_day_first_anyway()) order = DateOrder::kDayFirst;
  if (!order) return std::nullopt;
  const bool day_first = order == DateOrder::kDayFirst;
  const int day = day_first ? date->first : date->second;
  const int month = day_first ? date->second : date->first;
  if (!can_be_day_and_month(day, month)) return std::nullopt;
  return iso(date->year, month, day,
             date->clock.empty() ? Clock{} : parse_clock(date->clock).value());
}

}  // namespace otss::internal
