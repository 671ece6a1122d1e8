// A ColumnJudge looks at all values of a CSV column and records which types the column can have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "otss/data/reading_rules.hpp"

namespace otss::internal {

// A value of a column and its row, counted from 1.
struct ValueInRow {
  std::string value = {};  // empty if there is no such value
  std::size_t row = 0;
};

// Returns true if the text is a sign that means a missing number, such as "?" or "#N/A".
bool is_placeholder(std::string_view text);

class ColumnJudge {
 public:
  // A word that means a missing number by `rules` is not counted as a value. The rules must outlive
  // this object.
  explicit ColumnJudge(const ReadingRules& rules) : rules_(&rules) {}

  void observe(std::span<const std::string_view> texts);  // a missing text has data() == nullptr

  bool has_values() const { return has_values_; }
  // True if all values are numbers, or whole numbers, with this decimal sign. A number with a
  // leading zero ("007") is a code and not a number.
  bool is_number(char decimal) const { return numbers(decimal).all_numbers; }
  bool is_whole(char decimal) const { return numbers(decimal).all_whole; }
  bool is_boolean() const { return is_boolean_; }
  // True if all values are times such as 14:30, or dates such as 03.04.2026 that are not ISO dates.
  bool is_written_date() const { return is_written_date_ && has_values_; }
  bool may_be_iso_time() const { return may_be_iso_time_; }

  // True if some value has a comma. The comma may be the decimal sign, or it may separate
  // thousands.
  bool has_comma() const { return has_comma_; }
  bool has_dollar() const { return has_dollar_; }  // also true for a pound sign

  // Facts about dates that are not ISO dates: whether the order of day and month matters, and which
  // order some value shows.
  bool needs_date_order() const { return needs_date_order_; }
  bool shows_day_first() const { return shows_day_first_; }
  bool shows_month_first() const { return shows_month_first_; }
  bool has_clock() const { return has_clock_; }
  bool has_date() const { return has_date_; }

  // The first value that is not a plain number; empty if all values are plain numbers.
  const ValueInRow& example() const { return example_; }
  // The first plain number with a point, such as 20.000; empty if there is none.
  const std::string& value_with_point() const { return value_with_point_; }
  // The first value that is not a number with this decimal sign.
  const ValueInRow& misfit(char decimal) const { return numbers(decimal).misfit; }
  // Signs such as "?" and "-", which mean a missing value if all other values are numbers or dates.
  const std::vector<std::string>& placeholders() const { return placeholders_; }

 private:
  struct Numbers {
    bool all_numbers = true;
    bool all_whole = true;
    ValueInRow misfit = {};
  };

  const Numbers& numbers(char decimal) const { return decimal == '.' ? point_ : comma_; }
  bool is_text() const;
  void observe_value(std::string_view text);
  void observe_number(std::string_view text);
  void observe_decorated(std::string_view text, char decimal, Numbers& numbers);
  void observe_date(std::string_view text);
  bool take_placeholder(std::string_view text);

  const ReadingRules* rules_;
  bool has_values_ = false;
  Numbers point_, comma_;
  bool is_boolean_ = true;
  bool may_be_iso_time_ = true;
  bool is_written_date_ = true;
  bool has_comma_ = false, has_dollar_ = false;
  bool needs_date_order_ = false, shows_day_first_ = false, shows_month_first_ = false;
  bool has_clock_ = false, has_date_ = false;
  std::size_t row_ = 0;  // the row of the value that is observed, counted from 1
  ValueInRow example_;
  std::string value_with_point_;
  std::vector<std::string> placeholders_;
};

}  // namespace otss::internal
