#include "otss/data/reading_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "data/table/letter_case.hpp"
#include "otss/base/error.hpp"
#include "otss/data/roles.hpp"

namespace otss::internal {
namespace {

bool is_among(const std::vector<std::string>& words, std::string_view text) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.size() == text.size() && equals_lower(text, word);
  });
}

void check_words(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.empty() && lower_case(word) == word) continue;
    throw Error(ErrorCode::kInput,
                fmt::format("the word '{}' for a missing value must be in small letters and not "
                            "empty; correct this word in the reading rules",
                            word));
  }
}

void check_text_factor(const TextFactor& factor) {
  const auto& levels = factor.levels;
  if (levels.empty()) return;
  const bool sorted =
      std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) == levels.end();
  if (sorted && std::find(levels.begin(), levels.end(), factor.reference) == levels.end()) return;
  throw Error(ErrorCode::kInput,
              fmt::format("the levels of text factor '{}' must be sorted, distinct, and different "
                          "from its reference level; correct the reading rules",
                          factor.column));
}

void check_dates(const std::vector<DateColumn>& dates) {
  for (std::size_t i = 0; i < dates.size(); ++i) {
    const bool is_repeated = std::any_of(dates.begin(), dates.begin() + i, [&](const auto& other) {
      return other.column == dates[i].column;
    });
    if (!is_repeated && !dates[i].parts.empty()) continue;
    throw Error(ErrorCode::kInput,
                fmt::format("--dates {}: {}", dates[i].column,
                            is_repeated ? "the column is given twice; give its parts once, as in "
                                          "--dates COL:weekday,month"
                                        : "no part is given; give at least one, as in --dates "
                                          "COL:weekday,month"));
  }
}

using SourceOf = std::unordered_map<std::string, std::string>;

// Replaces each column that is made from another column by this other column. A column that would
// be listed twice is listed once.
std::vector<std::string> sources(const std::vector<std::string>& names, const SourceOf& source_of) {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const auto made = source_of.find(name);
    const std::string& source = made == source_of.end() ? name : made->second;
    if (std::find(result.begin(), result.end(), source) == result.end()) result.push_back(source);
  }
  return result;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

std::vector<std::string> DateColumn::names() const {
  std::vector<std::string> names;
  for (const DatePart part : parts) names.push_back(fmt::format("{}.{}", column, word(part)));
  return names;
}

std::vector<std::string> TextFactor::names() const {
  std::vector<std::string> names;
  for (const std::string& level : levels) names.push_back(fmt::format("{}={}", column, level));
  return names;
}

bool ReadingRules::is_missing(std::string_view text) const { return is_among(missing, text); }

bool ReadingRules::is_missing_text(std::string_view text) const {
  return is_among(missing_texts, text);
}

void ReadingRules::add_missing(std::string_view word) {
  const std::string lower = lower_case(word);
  if (!is_missing(lower)) missing.push_back(lower);
  if (!is_missing_text(lower)) missing_texts.push_back(lower);
}

ReadingRules ReadingRules::settled() const {
  ReadingRules rules = *this;
  rules.is_settled = true;
  if (!rules.decimal) rules.decimal = '.';
  return rules;
}

ReadingRules ReadingRules::for_new_log() const {
  ReadingRules rules = *this;
  rules.is_settled = false;
  for (TextFactor& factor : rules.text_factors) factor.levels.clear();
  if (rules.positive) rules.positive->others.clear();
  return rules;
}

void ReadingRules::validate() const {
  check_words(missing);
  check_words(missing_texts);
  if (decimal && decimal != '.' && decimal != ',') {
    throw Error(ErrorCode::kInput,
                fmt::format("the decimal sign '{}' is unknown; use '.' or ','", *decimal));
  }
  check_dates(dates);
  for (const TextFactor& factor : text_factors) check_text_factor(factor);
}

Roles roles_in_file(const Roles& roles, const ReadingRules& rules) {
  SourceOf source_of;
  for (const DateColumn& date : rules.dates) {
    for (const std::string& name : date.names()) source_of.emplace(name, date.column);
  }
  for (const TextFactor& factor : rules.text_factors) {
    for (const std::string& name : factor.names()) source_of.emplace(name, factor.column);
  }
  Roles result = roles;
  result.contexts = sources(roles.contexts, source_of);
  result.factors = sources(roles.factors, source_of);
  return result;
}

}  // namespace otss
