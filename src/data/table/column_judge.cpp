#include "data/table/column_judge.hpp"

#include <algorithm>
#include <array>

#include "data/table/date_text.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"
#include "data/table/trimmed.hpp"

namespace otss::internal {
namespace {

// Texts that mean a missing number: signs without letters, and the error values of spreadsheets.
// Words such as "unknown" are not in this list, because in a column of codes they may be levels.
constexpr std::array<std::string_view, 17> kPlaceholders = {
    "?",    "??",   "-",       "--",      "---",   ".",     "..",     "...",   "*",
    "n.a.", "#n/a", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!"};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool is_placeholder(std::string_view text) {
  return std::ranges::any_of(kPlaceholders,
                             [&](std::string_view sign) { return equals_lower(text, sign); });
}

bool ColumnJudge::is_text() const {
  return !point_.all_numbers && !comma_.all_numbers && !is_boolean_ && !may_be_iso_time_ &&
         !is_written_date_;
}

void ColumnJudge::observe(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (is_text()) return;
    ++row_;
    if (text.data() == nullptr || rules_->is_missing(text)) continue;
    const std::string_view value = trimmed(text);
    if (value.empty() || rules_->is_missing(value) || take_placeholder(value)) continue;
    observe_value(text);
  }
}

bool ColumnJudge::take_placeholder(std::string_view text) {
  constexpr std::size_t kLongest = 7;
  if (rules_->is_settled || text.size() > kLongest || is_digit(text.back())) return false;
  const auto known = std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                                  [&](std::string_view sign) { return equals_lower(text, sign); });
  if (known == kPlaceholders.end()) return false;
  if (std::find(placeholders_.begin(), placeholders_.end(), *known) == placeholders_.end())
    placeholders_.emplace_back(*known);
  return true;
}

void ColumnJudge::observe_value(std::string_view text) {
  has_values_ = true;
  const bool is_code = internal::is_code(text);
  if (is_code) point_ = comma_ = {.all_numbers = false, .all_whole = false};
  if (point_.all_numbers || comma_.all_numbers) observe_number(text);
  is_boolean_ = is_boolean_ && (equals_lower(text, "true") || equals_lower(text, "false"));
  may_be_iso_time_ = may_be_iso_time_ && !is_code && text.find_first_of("0123456789") == 0;
  if (is_written_date_) observe_date(text);
}

void ColumnJudge::observe_number(std::string_view text) {
  const bool is_plain = internal::is_number(text);
  if (is_plain && !contains(text, ".")) {
    const bool is_whole = is_whole_number(text);
    point_.all_whole = point_.all_whole && is_whole;
    comma_.all_whole = comma_.all_whole && is_whole;
    return;
  }
  if (!is_plain && example_.value.empty()) example_ = {std::string(text), row_};
  has_comma_ = has_comma_ || contains(text, ",");
  has_dollar_ = has_dollar_ || contains(text, "$") || contains(text, "\xC2\xA3");
  if (is_plain) {
    if (value_with_point_.empty()) value_with_point_ = text;
    point_.all_whole = false;
  } else if (point_.all_numbers) {
    observe_decorated(text, '.', point_);
  }
  if (comma_.all_numbers) observe_decorated(text, ',', comma_);
}

void ColumnJudge::observe_decorated(std::string_view text, char decimal, Numbers& numbers) {
  const auto plain = plain_number(text, decimal);
  numbers.all_numbers = plain.has_value();
  numbers.all_whole = numbers.all_whole && plain && is_whole_number(*plain);
  if (!plain) numbers.misfit = {std::string(text), row_};
}

void ColumnJudge::observe_date(std::string_view text) {
  if (is_clock(text)) {
    has_clock_ = true;
    if (example_.value.empty()) example_ = {std::string(text), row_};
    return;
  }
  const auto date = parse_written_date(text);
  is_written_date_ = date.has_value();
  if (!date) return;
  if (!has_date_) example_ = {std::string(text), row_};
  has_date_ = true;
  has_clock_ = has_clock_ || !date->clock.empty();
  if (date->is_day_first_anyway()) return;
  constexpr int kLastMonth = 12;
  needs_date_order_ = true;
  shows_day_first_ = shows_day_first_ || date->first > kLastMonth;
  shows_month_first_ = shows_month_first_ || date->second > kLastMonth;
}

}  // namespace otss::internal
