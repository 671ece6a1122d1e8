#include "data/table/parquet/time_text.hpp"

#include <limits>

#include "data/table/number_text.hpp"

namespace otss::internal::parquet {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

// DuckDB has infinite dates and times. They are the largest numbers, with either sign.
template <class Number>
std::optional<Number> infinite(std::string_view text) {
  if (text == "infinity") return std::numeric_limits<Number>::max();
  if (text == "-infinity") return -std::numeric_limits<Number>::max();
  return std::nullopt;
}

// Takes the parts of a text from its front. After a part that does not fit, `fits` is false.
class Parts {
 public:
  explicit Parts(std::string_view text) : rest_(text) {}

  std::int64_t digits(std::size_t fewest, std::size_t most) {
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < most && count < rest_.size() && is_digit(rest_[count]); ++count)
      value = 10 * value + (rest_[count] - '0');
    fits_ = fits_ && count >= fewest;
    rest_.remove_prefix(count);
    return value;
  }
  bool try_take(std::string_view part) {
    if (!rest_.starts_with(part)) return false;
    rest_.remove_prefix(part.size());
    return true;
  }
  void take(std::string_view part) { require(try_take(part)); }
  void require(bool holds) { fits_ = fits_ && holds; }
  std::size_t size() const { return rest_.size(); }
  bool fit_all() const { return fits_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool fits_ = true;
};

int days_in_month(std::int64_t year, std::int64_t month) {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Takes a date and returns the number of days since 1970-01-01. The formula counts from the first of
// March, so that a leap day is the last day of its year.
std::int64_t take_days(Parts& parts) {
  constexpr std::int64_t kYearsPerEra = 400, kDaysPerEra = 146'097, kDaysUntil1970 = 719'468;
  std::int64_t year = parts.digits(4, 7);
  parts.take("-");
  const std::int64_t month = parts.digits(2, 2);
  parts.take("-");
  const std::int64_t day = parts.digits(2, 2);
  if (parts.try_take(" (BC)")) year = 1 - year;  // the year before year 1 is 1 BC
  parts.require(month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month));
  const bool is_early = month <= 2;
  year -= is_early ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - kYearsPerEra + 1) / kYearsPerEra;
  const std::int64_t year_of_era = year - era * kYearsPerEra;
  const std::int64_t day_of_year = (153 * (month + (is_early ? 9 : -3)) + 2) / 5 + day - 1;
  return era * kDaysPerEra + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         kDaysUntil1970;
}

// Takes a time of day and returns it in seconds.
std::int64_t take_clock(Parts& parts) {
  const std::int64_t hours = parts.digits(2, 2);
  parts.take(":");
  const std::int64_t minutes = parts.digits(2, 2);
  parts.take(":");
  const std::int64_t seconds = parts.digits(2, 2);
  parts.require(hours < 24 && minutes < 60 && seconds < 60);
  return 3600 * hours + 60 * minutes + seconds;
}

// Takes the difference from UTC and returns it in seconds.
std::int64_t take_offset(Parts& parts) {
  const bool is_west = parts.try_take("-");
  if (!is_west) parts.take("+");
  std::int64_t seconds = 3600 * parts.digits(2, 2);
  if (parts.try_take(":")) seconds += 60 * parts.digits(2, 2);
  if (parts.try_take(":")) seconds += parts.digits(2, 2);
  return is_west ? -seconds : seconds;
}

}  // namespace

std::optional<std::int32_t> parse_days(std::string_view text) {
  if (const auto end_of_time = infinite<std::int32_t>(text)) return end_of_time;
  Parts parts(text);
  const std::int64_t days = take_days(parts);
  if (!parts.fit_all()) return std::nullopt;
  return static_cast<std::int32_t>(days);
}

std::optional<std::int64_t> parse_time(std::string_view text, bool is_nanos, bool is_utc) {
  if (const auto end_of_time = infinite<std::int64_t>(text)) return end_of_time;
  Parts parts(text);
  std::int64_t seconds = take_days(parts) * kSecondsPerDay;
  parts.take(" ");
  seconds += take_clock(parts);
  const int most_decimals = is_nanos ? 9 : 6;
  std::int64_t fraction = 0;
  int num_decimals = 0;
  if (parts.try_take(".")) {
    const std::size_t before = parts.size();
    fraction = parts.digits(1, static_cast<std::size_t>(most_decimals));
    num_decimals = static_cast<int>(before - parts.size());
  }
  std::int64_t ticks_per_second = 1;
  for (int i = 0; i < most_decimals; ++i) {
    ticks_per_second *= 10;
    if (i >= num_decimals) fraction *= 10;
  }
  if (is_utc) seconds -= take_offset(parts);
  std::int64_t ticks = 0;
  const bool is_too_far = __builtin_mul_overflow(seconds, ticks_per_second, &ticks) ||
                          __builtin_add_overflow(ticks, fraction, &ticks);
  if (!parts.fit_all() || is_too_far) return std::nullopt;
  return ticks;
}

}  // namespace otss::internal::parquet
