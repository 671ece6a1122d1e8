#include "data/table/text_levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "data/table/column_judge.hpp"
#include "data/table/columns.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal {
namespace {

// If at least this share of a column's values are numbers, the other values are taken for mistakes.
constexpr double kNearlyAll = 0.9;
// If a column has fewer different numbers than this, they may be meant as levels: 1, 2 and "other".
constexpr std::size_t kFewNumbers = 5;
// If a column of numbers has at most this many different texts, the texts may mean that a number is
// missing: "unknown", "refused", "not asked".
constexpr std::size_t kFewTexts = 5;
// Texts that begin with a digit may be meant as levels ("18-24", "25-34"). If a column has more
// texts than this, they are probably numbers or dates.
constexpr std::size_t kManyLevels = 20;

// Digits with a leading zero, such as "007", are a text and not a number.
bool is_written_number(const std::string& text, const ReadingRules& rules) {
  return !is_code(text) && parse_written_number(text, rules.decimal.value_or('.')).has_value();
}

// Returns a note about levels that may be numbers or dates in a form that is not known.
std::optional<std::string> note_on_digits(const std::vector<std::string>& texts) {
  // Digits with a leading zero are codes, such as "00716".
  const auto may_be_value = [](const std::string& text) {
    const bool is_all_digits = std::ranges::all_of(text, is_digit);
    return !text.empty() && is_digit(text.front()) && !(is_all_digits && is_code(text));
  };
  if (texts.size() <= kManyLevels || !std::ranges::all_of(texts, may_be_value)) return std::nullopt;
  return fmt::format(
      "its {} levels begin with digits, such as '{}'; if numbers or dates are meant, convert them "
      "with --query",
      texts.size(), texts.front());
}

}  // namespace

std::optional<std::string> note_on_missing(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels) {
  for (std::size_t code = 0; code < texts.size(); ++code) {
    if (!is_placeholder(texts[code])) continue;
    const double rows = levels[code].num_rows;
    return fmt::format("'{0}' is a level in {1:.0f} {2}; if it means missing, give --missing '{0}'",
                       texts[code], rows, rows == 1 ? "row" : "rows");
  }
  return std::nullopt;
}

std::optional<std::size_t> find_stray_text(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules) {
  std::optional<std::size_t> first;
  double num_numbers = 0;
  double num_texts = 0;
  for (std::size_t code = 0; code < texts.size(); ++code) {
    if (is_code(texts[code])) return std::nullopt;
    if (rules.is_missing(texts[code])) continue;
    const bool number = is_number(texts[code]) || is_written_number(texts[code], rules);
    (number ? num_numbers : num_texts) += levels[code].num_rows;
    if (!number && !first) first = code;
  }
  return num_numbers >= kNearlyAll * (num_numbers + num_texts) ? first : std::nullopt;
}

std::optional<std::string> note_on_case(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> seen;
  for (const std::string& text : texts) {
    const auto [other, is_new] = seen.emplace(lower_case(text), text);
    if (is_new) continue;
    return fmt::format(
        "the levels '{}' and '{}' differ only in upper and lower case and are kept apart; "
        "--ignore-case merges such levels",
        other->second, text);
  }
  return std::nullopt;
}

std::optional<std::string> note_on_numbers(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules) {
  double num_rows = 0;  // the number of rows with a value that is not a number
  std::vector<std::string> others;
  for (std::size_t code = 0; code < texts.size(); ++code) {
    if (is_written_number(texts[code], rules)) continue;
    others.push_back(texts[code]);
    num_rows += levels[code].num_rows;
  }
  const std::size_t num_numbers = texts.size() - others.size();
  if (num_numbers < kFewNumbers || others.size() > kFewTexts) return note_on_digits(texts);
  if (others.empty()) {
    return "the table stores numbers as text, so every number is a level of its own; store them as "
           "numbers, or convert them with --query";
  }
  return fmt::format(
      "{} in {:.0f} rows {}, so every number is a level of its own; if a missing number is meant, "
      "give --missing '{}'",
      list_names(others), num_rows, others.size() == 1 ? "is not a number" : "are not numbers",
      fmt::join(others, ","));
}

}  // namespace otss::internal
