#include "data/table/text_levels.hpp"

#include <fmt/core.h>

#include <map>

#include "data/table/letter_case.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal {
namespace {

// If at least this share of a column's values are numbers, the other values are mistakes.
constexpr double kNearlyAll = 0.9;
// So few numbers may be meant as levels: 1, 2 and "other".
constexpr std::size_t kFewNumbers = 5;

// Digits with a leading zero, such as "007", are a text and not a number.
bool is_written_number(const std::string& text, const ReadingRules& rules) {
  return !is_code(text) && parse_written_number(text, rules.decimal.value_or('.')).has_value();
}

}  // namespace

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
  if (texts.size() <= kFewNumbers) return std::nullopt;
  std::optional<std::size_t> other;
  for (std::size_t code = 0; code < texts.size(); ++code) {
    if (is_written_number(texts[code], rules)) continue;
    if (other) return std::nullopt;
    other = code;
  }
  if (!other) {
    return "the table stores numbers as text, so every number is a level of its own; store them as "
           "numbers, or convert them with --query";
  }
  return fmt::format(
      "the value '{0}' in {1:.0f} rows is not a number, so every number is a level of its own; "
      "give "
      "--missing '{0}' if it means a missing number",
      texts[*other], levels[*other].num_rows);
}

}  // namespace otss::internal
