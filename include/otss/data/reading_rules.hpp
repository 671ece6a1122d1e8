// ReadingRules says how the cells of a table become values: how numbers, dates, missing values, the
// outcome and text factors are written. A model stores the rules by which its training log was
// read. Every later table for this model is read by the same rules.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "otss/base/options.hpp"

namespace otss {

struct Roles;  // otss/data/roles.hpp

// The order says which of the first two numbers of a date such as 03/04/2026 is the day.
enum class DateOrder { kDayFirst, kMonthFirst };

constexpr auto word_table(DateOrder) {
  return std::array{WordOf<DateOrder>{DateOrder::kDayFirst, "dmy"},
                    WordOf<DateOrder>{DateOrder::kMonthFirst, "mdy"}};
}

// A part of a date or time that becomes a column of its own.
enum class DatePart {
  kDay,      // a number: days since 1970-01-01
  kWeekday,  // a text: Mon, Tue, …, Sun
  kMonth,    // a text: Jan, Feb, …, Dec
  kHour,     // a number: hours since midnight, with a fraction for the minutes
};

constexpr auto word_table(DatePart) {
  return std::array{
      WordOf<DatePart>{DatePart::kDay, "day"}, WordOf<DatePart>{DatePart::kWeekday, "weekday"},
      WordOf<DatePart>{DatePart::kMonth, "month"}, WordOf<DatePart>{DatePart::kHour, "hour"}};
}

// A column of dates that is replaced by some of its parts. The columns of the parts are called
// "COLUMN.PART", such as "date.weekday".
struct DateColumn {
  std::string column;
  std::vector<DatePart> parts = {};

  std::vector<std::string> names() const;  // the names of the columns of the parts, in order
  bool operator==(const DateColumn&) const = default;
};

// A text factor. It is replaced by one factor per level except the reference level. Such a factor
// is called "COLUMN=LEVEL"; it is 1 in the rows with this level and 0 in all other rows.
struct TextFactor {
  std::string column;
  // The reference level. If it is empty, reading a log sets it to the most frequent level.
  std::string reference = {};
  // The levels except the reference, sorted. Empty until a log is read.
  std::vector<std::string> levels = {};

  std::vector<std::string> names() const;  // the names of the new factors, in the order of `levels`
  bool operator==(const TextFactor&) const = default;
};

// This struct says how an outcome that is not written as 0 and 1 becomes 0 and 1. Upper and lower
// case are not distinguished.
struct PositiveOutcome {
  std::string column;      // the outcome column; if it is empty, reading a log sets it
  std::string value = {};  // the value that counts as 1
  // The values that count as 0. The list is empty until a log is read. After that, it is an Error
  // if an outcome is neither `value` nor in this list.
  std::vector<std::string> others = {};

  bool operator==(const PositiveOutcome&) const = default;
};

struct ReadingRules {
  // The words that mean a missing number, in lower case. In a file these words may be in upper or
  // lower case. An empty cell is always missing.
  std::vector<std::string> missing = {"na", "nan", "null", "n/a", "none"};
  // The words that mean a missing value in a column of texts, in lower case.
  std::vector<std::string> missing_texts = {};
  // The decimal sign of numbers in a CSV file, '.' or ','. If it is absent, the values of the log
  // show the decimal sign.
  std::optional<char> decimal = {};
  // The order of day and month in dates with slashes or hyphens. If it is absent, the values of the
  // log show the order.
  std::optional<DateOrder> date_order = {};
  bool trims_texts = true;    // true: spaces around the texts of contexts and factors are ignored
  bool ignores_case = false;  // true: the texts of contexts and factors are read in lower case
  // True after a log was read by these rules. The values of later tables then no longer change the
  // rules. So a row is read in the same way whatever other rows its table has.
  bool is_settled = false;
  std::vector<DateColumn> dates = {};
  std::vector<TextFactor> text_factors = {};
  std::optional<PositiveOutcome> positive = {};

  // is_missing returns true if this text means a missing value in a column of numbers.
  // is_missing_text returns true if the text means a missing value in a column of texts.
  bool is_missing(std::string_view text) const;
  bool is_missing_text(std::string_view text) const;

  // Adds a word that means a missing value in columns of numbers and in columns of texts. The word
  // may be in upper or lower case.
  void add_missing(std::string_view word);

  // Returns these rules with is_settled = true, as they are after a log was read. If the decimal
  // sign is absent, it becomes '.'.
  ReadingRules settled() const;

  // Returns these rules with is_settled = false, for reading another log. The levels of text
  // factors and the outcomes that count as 0 are removed, because they may differ in the other log.
  ReadingRules for_new_log() const;

  void validate() const;  // throws Error(kInput) for rules that cannot be used
  bool operator==(const ReadingRules&) const = default;
};

// Returns the roles with columns of the file only. The parts of a date are replaced by the date
// column, and the 0/1 factors of a text factor by its text column.
Roles roles_in_file(const Roles& roles, const ReadingRules& rules);

}  // namespace otss
