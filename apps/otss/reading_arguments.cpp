#include "reading_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/options.hpp"

namespace otss::app {
namespace {

// Parses a value of --dates, such as "date:weekday,month". Without a colon, the parts are day,
// weekday and month.
DateColumn parse_dates(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  DateColumn date{.column = text.substr(0, colon), .parts = {}};
  if (colon == std::string::npos) {
    date.parts = {DatePart::kDay, DatePart::kWeekday, DatePart::kMonth};
    return date;
  }
  for (const std::string& name : split_names(text.substr(colon + 1))) {
    const auto part = parse_word<DatePart>(name);
    if (!part || std::ranges::find(date.parts, *part) != date.parts.end()) {
      throw Error(ErrorCode::kUsage,
                  fmt::format("--dates {}: '{}' is {}; give COL:PART,… with the parts {}", text,
                              name, part ? "given twice" : "not a part of a date",
                              fmt::join(words_of<DatePart>(), ", ")));
    }
    date.parts.push_back(*part);
  }
  return date;
}

TextFactor parse_reference(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--reference {}: give COL=LEVEL, such as brand=acme", text));
  }
  return {.column = text.substr(0, equals), .reference = text.substr(equals + 1)};
}

// Adds an option that may be given several times, with one value each time.
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values,
                      const char* help) {
  return command.add_option(name, values, help)->allow_extra_args(false);
}

}  // namespace

void ReadingArguments::add_for_table(CLI::App& command) {
  add_list(command, "--missing", missing_,
           "value that means missing, such as '?' or -999; may be given several times")
      ->type_name("VALUE");
  command.add_option("--decimal", decimal_, "decimal sign of the numbers in CSV files: . or ,")
      ->check(CLI::IsMember({".", ","}))
      ->type_name("SIGN");
}

void ReadingArguments::add_for_log(CLI::App& command) {
  add_for_table(command);
  command
      .add_option("--positive", positive_,
                  "value of the outcome that counts as 1, such as yes; the other values count as 0")
      ->type_name("VALUE");
  add_list(
      command, "--dates", dates_,
      "replace the date column COL of --context by the parts day (number of the day), weekday, "
      "month or hour; default: day,weekday,month; may be given several times")
      ->type_name("COL[:PART,…]");
  command
      .add_option("--date-order", date_order_,
                  "order of dates such as 03/04/2026: dmy (day first) or mdy (month first)")
      ->check(CLI::IsMember(words_of<DateOrder>()))
      ->type_name("ORDER");
  add_list(command, "--reference", references_,
           "reference level of a text factor: the other levels are measured against it; default: "
           "the most frequent level; may be given several times")
      ->type_name("COL=LEVEL");
  command.add_flag("--ignore-case", ignore_case_,
                   "read text contexts and factors in lower case, so that F and f are one level");
}

ReadingRules ReadingArguments::rules(const ReadingRules& otherwise) const {
  ReadingRules rules = otherwise;
  for (const std::string& value : missing_) {
    for (const std::string& word : split_names(value)) {
      if (word.empty())
        throw Error(ErrorCode::kUsage,
                    "--missing: one of the values is empty; leave it out, because an empty cell is "
                    "always missing");
      rules.add_missing(word);
    }
  }
  if (!decimal_.empty()) rules.decimal = decimal_.front();
  if (!date_order_.empty()) rules.date_order = parse_word<DateOrder>(date_order_);
  if (!positive_.empty()) rules.positive = PositiveOutcome{.column = "", .value = positive_};
  if (!dates_.empty()) rules.dates.clear();
  for (const std::string& text : dates_) rules.dates.push_back(parse_dates(text));
  for (const std::string& text : references_) {
    const TextFactor given = parse_reference(text);
    std::erase_if(rules.text_factors,
                  [&](const TextFactor& other) { return other.column == given.column; });
    rules.text_factors.push_back(given);
  }
  rules.ignores_case = rules.ignores_case || ignore_case_;
  return rules;
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& text : notes) note("{}", text);
}

}  // namespace otss::app
