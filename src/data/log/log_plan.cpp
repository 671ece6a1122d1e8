#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "data/table/columns.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_format.hpp"
#include "data/table/number_text.hpp"
#include "data/terms/term_columns.hpp"
#include "otss/base/error.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kMostFactorLevels = 50;
constexpr std::size_t kMostOutcomes = 20;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// How often each text occurs in a column.
struct TextCounts {
  std::map<std::string, std::size_t> counts;
  std::size_t num_rows = 0;  // the number of rows that have a value

  // Returns true if at least half of the rows have a number. Then a text in this column is probably
  // a mistake.
  bool are_mostly_numbers() const {
    std::size_t numbers = 0;
    for (const auto& [text, count] : counts) {
      const bool number = is_number(text) || plain_number(text, '.') || plain_number(text, ',');
      if (number && !is_code(text)) numbers += count;
    }
    return 2 * numbers >= num_rows;
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& [text, count] : counts) texts.push_back(text);
    return texts;
  }
};

TextCounts count_texts(const TableReader& reader, const std::string& column) {
  TextCounts found;
  reader.read({{column, true, TextForm::kLevel}}, [&](const TableChunk& chunk) {
    for (const std::string_view text : chunk.columns.front().texts) {
      if (text.data() == nullptr || reader.rules().is_missing(text)) continue;
      ++found.counts[std::string(text)];
      ++found.num_rows;
    }
  });
  return found;
}

class LogPlanner {
 public:
  LogPlanner(TableReader& reader, const Roles& roles) : reader_(reader), plan_{.roles = roles} {}

  LogPlan run() {
    check_dates();
    understand_columns();
    find_text_factors();
    find_outcomes();
    expand_contexts();
    return std::move(plan_);
  }

 private:
  const ColumnInfo* info(const std::string& column) const {
    return find_column(reader_.columns(), column);
  }
  bool is_text(const std::string& column) const {
    const ColumnInfo* found = info(column);
    return found != nullptr && found->kind == ColumnKind::kText;
  }
  bool wants_all() const { return plan_.roles.contexts == std::vector<std::string>{"all"}; }
  Error error(ErrorCode code, const std::string& message) const {
    return {code, fmt::format("'{}': {}", reader_.name(), message)};
  }

  // The columns of the file whose values a model uses.
  std::vector<std::string> used_columns() const {
    const Roles roles = roles_in_file(plan_.roles, reader_.rules());
    std::vector<std::string> used;
    for (const std::string& factor : roles.factors) {
      const std::optional<Term> term = term_of(reader_.columns(), factor);
      for (const std::string& column : term ? term->columns : std::vector{factor}) {
        if (!contains(used, column)) used.push_back(column);
      }
    }
    for (const std::string& name : {roles.outcome, roles.weight, roles.time}) {
      if (!name.empty()) used.push_back(name);
    }
    if (!wants_all()) {
      used.insert(used.end(), roles.contexts.begin(), roles.contexts.end());
      return used;
    }
    for (const ColumnInfo& column : reader_.columns()) {
      if (column.made_from.empty() && column.name != roles.group && column.name != roles.unit &&
          !contains(used, column.name) && !contains(roles.exclude, column.name))
        used.push_back(column.name);
    }
    return used;
  }

  void understand_columns() {
    for (std::string& note : reader_.understood(used_columns()))
      plan_.notes.push_back(std::move(note));
  }

  void check_dates() const {
    for (const DateColumn& date : reader_.rules().dates) {
      const ColumnInfo& column = reader_.column(date.column, "--dates");
      if (column.type == ValueType::kTime || column.type == ValueType::kText) continue;
      throw error(
          ErrorCode::kUsage,
          fmt::format("--dates {0}: column '{0}' does not have dates; leave it out of --dates",
                      date.column));
    }
  }

  void find_text_factors() {
    std::vector<TextFactor> rules = reader_.rules().text_factors;
    for (const TextFactor& rule : rules) {
      const bool is_resolved = !rule.levels.empty();
      if (is_resolved || (contains(plan_.roles.factors, rule.column) && is_text(rule.column)))
        continue;
      throw error(ErrorCode::kUsage,
                  fmt::format("--reference {0}={1}: '{0}' is not a text column of --factors; leave "
                              "--reference out",
                              rule.column, rule.reference));
    }
    std::vector<std::string> factors;
    for (const std::string& name : plan_.roles.factors) {
      const TextFactor* rule = text_factor(name, rules);
      if (rule == nullptr) {
        refuse_text_in_term(name);
        factors.push_back(name);
        continue;
      }
      for (const std::string& made : rule->names()) factors.push_back(made);
      if (wants_all()) plan_.roles.exclude.push_back(name);
    }
    plan_.roles.factors = std::move(factors);
    for (const TextFactor& rule : rules) note_text_factor(rule);
    reader_.complete_rules(rules, reader_.rules().positive);
  }

  // Returns the rule of a text factor, with its levels; null if the factor is not a text.
  const TextFactor* text_factor(const std::string& name, std::vector<TextFactor>& rules) {
    auto rule = std::find_if(rules.begin(), rules.end(),
                             [&](const TextFactor& known) { return known.column == name; });
    if (rule != rules.end() && !rule->levels.empty()) return &*rule;
    if (!is_text(name)) return nullptr;
    const TextCounts found = count_texts(reader_, name);
    // The error for texts among numbers comes later, when the column is read as numbers.
    if (found.are_mostly_numbers()) return nullptr;
    if (rule == rules.end()) rule = rules.insert(rules.end(), TextFactor{.column = name});
    set_levels(found, *rule);
    return &*rule;
  }

  // Throws an Error if the factor is a term of a text column.
  void refuse_text_in_term(const std::string& name) const {
    const std::optional<Term> term = term_of(reader_.columns(), name);
    if (!term) return;
    for (const std::string& column : term->columns) {
      if (!is_text(column)) continue;
      const TextCounts found = count_texts(reader_, column);
      if (found.are_mostly_numbers() || found.counts.empty()) continue;
      throw error(ErrorCode::kInput,
                  fmt::format("factor '{0}': column '{1}' is text, and a term needs numbers; name "
                              "'{1}' in --factors, which gives a 0/1 factor for each level, and "
                              "write the term of such a factor in place of '{1}': '{1}={2}'",
                              name, column, found.counts.begin()->first));
    }
  }

  void set_levels(const TextCounts& found, TextFactor& rule) {
    const std::vector<std::string> levels = found.texts();
    if (levels.size() == 1) {
      throw error(ErrorCode::kInput,
                  fmt::format("factor '{}' is '{}' in every row, so its weight cannot be learned; "
                              "leave it out of --factors",
                              rule.column, levels.front()));
    }
    if (levels.size() > kMostFactorLevels) {
      throw error(ErrorCode::kInput,
                  fmt::format("factor '{}' is text with {} different values, but a text factor may "
                              "have at most {} levels; merge its values, or leave it out of "
                              "--factors",
                              rule.column, levels.size(), kMostFactorLevels));
    }
    if (reader_.rules().ignores_case) rule.reference = lower_case(rule.reference);
    if (!rule.reference.empty() && !found.counts.contains(rule.reference)) {
      throw error(
          ErrorCode::kUsage,
          fmt::format("--reference {}={}: the factor has no such level; give one of its levels: {}",
                      rule.column, rule.reference, list_names(levels)));
    }
    if (rule.reference.empty()) {
      rule.reference =
          std::max_element(found.counts.begin(), found.counts.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; })
              ->first;
    }
    for (const std::string& level : levels) {
      if (level != rule.reference) rule.levels.push_back(level);
    }
  }

  void note_text_factor(const TextFactor& rule) {
    plan_.notes.push_back(fmt::format(
        "'{}': factor '{}' is text: it becomes the 0/1 factors {}, relative to the level '{}' "
        "(--reference {}=LEVEL chooses another)",
        reader_.name(), rule.column, list_names(rule.names()), rule.reference, rule.column));
  }

  void find_outcomes() {
    std::optional<PositiveOutcome> positive = reader_.rules().positive;
    const std::string& outcome = plan_.roles.outcome;
    if (info(outcome) == nullptr) return;  // the error for an unknown column comes later
    if (!positive) {
      if (is_text(outcome)) refuse_text_outcome();
      return;
    }
    if (positive->column.empty()) positive->column = outcome;
    if (positive->column != outcome) return;
    if (positive->others.empty()) set_other_outcomes(*positive);
    reader_.complete_rules(reader_.rules().text_factors, positive);
    plan_.notes.push_back(fmt::format("'{}': outcome '{}': '{}' counts as 1, and {} as 0",
                                      reader_.name(), outcome, positive->value,
                                      list_names(positive->others)));
  }

  void refuse_text_outcome() const {
    const std::string& outcome = plan_.roles.outcome;
    const TextCounts found = count_texts(reader_, outcome);
    // The error for texts among numbers comes later, when the column is read as numbers.
    if (found.are_mostly_numbers()) return;
    constexpr std::array<std::string_view, 8> kYes = {"yes", "y",   "true", "t",
                                                      "ja",  "oui", "si",   "1"};
    const std::vector<std::string> texts = found.texts();
    auto likely = std::find_if(texts.begin(), texts.end(), [&](const std::string& text) {
      return std::find(kYes.begin(), kYes.end(), lower_case(text)) != kYes.end();
    });
    const std::string& example = likely == texts.end() ? texts.back() : *likely;
    throw error(ErrorCode::kInput,
                fmt::format("outcome '{}' is text (its values are {}); say which value counts as "
                            "1, for example --positive '{}'",
                            outcome, list_names(texts), example));
  }

  void set_other_outcomes(PositiveOutcome& positive) const {
    const TextCounts found = count_texts(reader_, positive.column);
    const auto is_positive = [&](const std::string& text) {
      if (lower_case(text) == lower_case(positive.value)) return true;
      return is_number(text) && is_number(positive.value) &&
             std::strtod(text.c_str(), nullptr) == std::strtod(positive.value.c_str(), nullptr);
    };
    std::set<std::string> others;
    bool occurs = false;
    for (const auto& [text, count] : found.counts) {
      if (is_positive(text)) {
        occurs = true;
      } else if (others.size() <= kMostOutcomes) {
        others.insert(lower_case(text));
      }
    }
    if (!occurs || others.empty()) {
      throw error(
          ErrorCode::kInput,
          fmt::format("--positive '{}': {} row of outcome '{}' has this value (its values are "
                      "{}); give a value that only some rows have",
                      positive.value, occurs ? "every" : "no", positive.column,
                      list_names(found.texts())));
    }
    if (others.size() > kMostOutcomes) {
      throw error(ErrorCode::kInput,
                  fmt::format("--positive '{}': outcome '{}' has more than {} other values; recode "
                              "it as 0 and 1 with --query",
                              positive.value, positive.column, kMostOutcomes));
    }
    positive.others.assign(others.begin(), others.end());
  }

  // Replaces dates among the contexts by their parts.
  void expand_contexts() {
    for (const DateColumn& date : reader_.rules().dates) {
      const std::vector<std::string> parts = date.names();
      auto& contexts = plan_.roles.contexts;
      if (wants_all()) {
        const bool has_role = date.column == plan_.roles.time || date.column == plan_.roles.group ||
                              date.column == plan_.roles.weight ||
                              date.column == plan_.roles.unit ||
                              contains(plan_.roles.exclude, date.column);
        if (!has_role) plan_.roles.exclude.push_back(date.column);
        continue;
      }
      const auto place = std::find(contexts.begin(), contexts.end(), date.column);
      if (place != contexts.end()) {
        contexts.insert(contexts.erase(place), parts.begin(), parts.end());
      } else if (!contains(contexts, parts.front())) {
        throw error(ErrorCode::kUsage,
                    fmt::format("--dates {0}: column '{0}' is not in --context; add it there, or "
                                "leave it out of --dates",
                                date.column));
      }
    }
  }

  TableReader& reader_;
  LogPlan plan_;
};

}  // namespace
}  // namespace otss::internal

namespace otss {

LogPlan plan_log(TableReader& reader, const Roles& roles) {
  return internal::LogPlanner(reader, roles).run();
}

}  // namespace otss
