#include "data/table/duckdb/made_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "data/table/columns.hpp"
#include "data/table/duckdb/cell_functions.hpp"
#include "data/table/letter_case.hpp"
#include "data/table/number_text.hpp"

namespace otss::internal::duck {
namespace {

ReadableColumn* find(std::vector<ReadableColumn>& columns, const std::string& name) {
  const auto found =
      std::find_if(columns.begin(), columns.end(),
                   [&](const ReadableColumn& column) { return column.info.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

std::string sql_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted_literal(text);
  return list;
}

// Sets the SQL for the numbers of a column: 1 if `value` equals `one`, and 0 if `value` is in
// `zeros`, a list in SQL. For any other value, as_number makes the query fail.
void set_indicator(const std::string& value, const std::string& one, const std::string& zeros,
                   ReadableColumn& column) {
  const std::string cases = fmt::format(
      "CASE WHEN {0} = {1} THEN 1.0::DOUBLE WHEN {0} IN ({2}) THEN 0.0::DOUBLE", value, one, zeros);
  column.try_number = cases + " END";
  // The last CAST always fails, because its text is never a number.
  column.as_number =
      fmt::format("{0} WHEN {1} IS NULL THEN NULL ELSE CAST(concat('value ', {1}) AS DOUBLE) END",
                  cases, value);
}

std::vector<std::string> in_lower_case(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) result.push_back(lower_case(text));
  return result;
}

bool has_numbers(const ReadableColumn& column) {
  return column.info.type == ValueType::kNumber || column.info.type == ValueType::kWholeNumber;
}

void apply_positive(const PositiveOutcome& positive, std::vector<ReadableColumn>& columns) {
  ReadableColumn* column = find(columns, positive.column);
  if (column == nullptr || positive.others.empty()) return;
  const auto is_a_number = [](const std::string& text) { return is_number(text); };
  if (has_numbers(*column) && is_number(positive.value) &&
      std::all_of(positive.others.begin(), positive.others.end(), is_a_number)) {
    // The values are compared as numbers, so that 2 and 2.0 are the same value.
    const std::string number = column->as_number;
    const auto literal = [](const std::string& text) {
      return fmt::format("CAST({} AS DOUBLE)", quoted_literal(text));
    };
    std::vector<std::string> others;
    for (const std::string& other : positive.others) others.push_back(literal(other));
    set_indicator(number, literal(positive.value), fmt::format("{}", fmt::join(others, ", ")),
                  *column);
  } else {
    const std::string text = fmt::format("lower(otss_level({}))", number_text_sql(column->as_text));
    set_indicator(text, quoted_literal(lower_case(positive.value)),
                  sql_list(in_lower_case(positive.others)), *column);
  }
  column->value = number_text_sql(column->as_text);
  column->info.kind = ColumnKind::kNumber;
  column->info.type = ValueType::kBoolean;
  column->problem = fmt::format(
      "it is neither '{}', the value that counts as 1, nor one of the values that count as 0 ({}); "
      "correct the value, or leave the row out",
      positive.value, list_names(positive.others));
}

ReadableColumn date_part(const ReadableColumn& date, DatePart part, const std::string& name) {
  ReadableColumn column;
  const bool is_text = part == DatePart::kWeekday || part == DatePart::kMonth;
  column.info = {.name = name,
                 .kind = is_text ? ColumnKind::kText : ColumnKind::kNumber,
                 .type = is_text ? ValueType::kText : ValueType::kNumber,
                 .made_from = date.info.name};
  const std::string& time = date.as_time;
  switch (part) {
    case DatePart::kDay: column.as_number = fmt::format("floor(epoch({}) / 86400)", time); break;
    case DatePart::kHour:
      column.as_number =
          fmt::format("(epoch({0}) - 86400 * floor(epoch({0}) / 86400)) / 3600", time);
      break;
    case DatePart::kWeekday: column.as_text = fmt::format("strftime({}, '%a')", time); break;
    case DatePart::kMonth: column.as_text = fmt::format("strftime({}, '%b')", time); break;
  }
  if (is_text) {
    column.as_number = fmt::format("CAST({} AS DOUBLE)", column.as_text);
  } else {
    column.as_text = fmt::format("CAST({} AS VARCHAR)", column.as_number);
  }
  column.value = date_text_sql(date.as_text);
  column.try_number = fmt::format("epoch({})", date.try_time);
  column.as_level = column.as_value = column.as_text;
  column.problem =
      "this value is not a date; write dates as 2026-04-03, as 03.04.2026, or in the order that "
      "fit "
      "was given in --date-order; or, if the value means \"missing\", give --missing";
  return column;
}

ReadableColumn level_indicator(const ReadableColumn& factor, const TextFactor& rule,
                               std::size_t level) {
  ReadableColumn column;
  column.info = {.name = rule.names()[level],
                 .kind = ColumnKind::kNumber,
                 .type = ValueType::kWholeNumber,
                 .made_from = factor.info.name};
  std::vector<std::string> zeros = {rule.reference};
  for (std::size_t other = 0; other < rule.levels.size(); ++other) {
    if (other != level) zeros.push_back(rule.levels[other]);
  }
  set_indicator(factor.as_level, quoted_literal(rule.levels[level]), sql_list(zeros), column);
  column.value = factor.as_level;
  column.as_text = fmt::format("CAST({} AS VARCHAR)", column.as_number);
  column.as_level = column.as_value = column.as_text;
  std::vector<std::string> all = rule.levels;
  all.push_back(rule.reference);
  std::sort(all.begin(), all.end());
  column.problem = fmt::format(
      "the log did not have this level (it had {}); use a known level, or leave the row out",
      list_names(all));
  return column;
}

}  // namespace

std::string source_of(std::string_view name, const ReadingRules& rules) {
  const auto makes = [&](const auto& rule) {
    const auto names = rule.names();
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const DateColumn& date : rules.dates) {
    if (makes(date)) return date.column;
  }
  for (const TextFactor& factor : rules.text_factors) {
    if (makes(factor)) return factor.column;
  }
  return "";
}

void add_made_columns(const ReadingRules& rules, std::vector<ReadableColumn>& columns) {
  std::vector<ReadableColumn> made;
  for (const DateColumn& rule : rules.dates) {
    const ReadableColumn* date = find(columns, rule.column);
    if (date == nullptr) continue;
    for (std::size_t i = 0; i < rule.parts.size(); ++i)
      made.push_back(date_part(*date, rule.parts[i], rule.names()[i]));
  }
  for (const TextFactor& rule : rules.text_factors) {
    const ReadableColumn* factor = find(columns, rule.column);
    if (factor == nullptr) continue;
    for (std::size_t i = 0; i < rule.levels.size(); ++i)
      made.push_back(level_indicator(*factor, rule, i));
  }
  if (rules.positive) apply_positive(*rules.positive, columns);
  for (ReadableColumn& column : made) {
    if (find(columns, column.info.name) == nullptr) columns.push_back(std::move(column));
  }
}

}  // namespace otss::internal::duck
