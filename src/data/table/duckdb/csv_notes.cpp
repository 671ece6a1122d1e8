#include "data/table/duckdb/csv_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/table/date_text.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal::duck {
namespace {

// A list of examples that stops after a few, so that a note fits on a line.
class Examples {
 public:
  void add(const std::string& example) {
    constexpr std::size_t kMostShown = 4;
    if (shown_.size() < kMostShown) {
      shown_.push_back(example);
    } else {
      ++num_more_;
    }
  }
  bool empty() const { return shown_.empty(); }
  std::string list() const {
    return fmt::format("{}{}", fmt::join(shown_, ", "),
                       num_more_ == 0 ? "" : fmt::format(" and in {} more columns", num_more_));
  }

 private:
  std::vector<std::string> shown_;
  std::size_t num_more_ = 0;
};

// Returns the date in the form that notes show. The time is left out if it is midnight. The date is
// left out if the text has only a time of day.
std::string shown_date(const std::string& text, const ReadingRules& rules) {
  constexpr std::string_view kMidnight = " 00:00:00";
  const std::string iso = iso_date(text, rules.date_order).value_or(text);
  if (is_clock(text)) return iso.substr(iso.find(' ') + 1);
  return iso.ends_with(kMidnight) ? iso.substr(0, iso.size() - kMidnight.size()) : iso;
}

std::string shown(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

bool takes_parts(const CsvColumn& column, const ReadingRules& rules) {
  return std::any_of(rules.dates.begin(), rules.dates.end(),
                     [&](const DateColumn& date) { return date.column == column.name; });
}

}  // namespace

std::vector<std::string> notes_on_csv(const std::vector<const CsvColumn*>& columns,
                                      const ReadingRules& rules, const std::string& table) {
  Examples numbers, dates, missing;
  bool all_take_parts = true;
  const char decimal = rules.decimal.value_or('.');
  for (const CsvColumn* column : columns) {
    if (column->is_written_date) {
      dates.add(fmt::format("'{}' in '{}' is {}", column->example, column->name,
                            shown_date(column->example, rules)));
      all_take_parts = all_take_parts && takes_parts(*column, rules);
    } else if (!column->example.empty()) {
      const auto value = parse_written_number(column->example, decimal);
      if (value)
        numbers.add(
            fmt::format("'{}' in '{}' is {}", column->example, column->name, shown(*value)));
    }
    for (const std::string& sign : column->placeholders)
      missing.add(fmt::format("'{}' in '{}' means missing", sign, column->name));
  }
  std::vector<std::string> notes;
  const auto note = [&](const char* what, const Examples& examples, const std::string& why) {
    if (!examples.empty())
      notes.push_back(fmt::format("'{}': {}: {}{}", table, what, examples.list(), why));
  };
  note("numbers", numbers, fmt::format(" (decimal sign '{}'; --decimal changes it)", decimal));
  note("dates and times", dates,
       all_take_parts ? ""
                      : " (each date becomes one number; --dates COL:weekday,month uses its "
                        "parts instead)");
  note("missing values", missing, "");
  return notes;
}

}  // namespace otss::internal::duck
