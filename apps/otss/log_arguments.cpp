#include "log_arguments.hpp"

#include "arguments.hpp"

namespace otss::app {

void LogArguments::add(CLI::App& command) {
  add_table(command, log, "LOG", "log with one row per past decision");
  command
      .add_option("--context", contexts_,
                  "columns that are known before the decision; 'all' means every column without "
                  "another role")
      ->type_name("COLS");
  command
      .add_option("--factors", factors_,
                  "columns that describe the decision taken, and terms of such columns: A^2, A*B, "
                  "log(A), log(1+A)")
      ->type_name("COLS");
  command
      .add_option("--outcome", others_.outcome,
                  "column with the outcome: 0 or 1, or with --family another kind of number")
      ->type_name("COL");
  command
      .add_option("--weight", others_.weight,
                  "column with row weights; a row of weight 3 counts like three rows")
      ->type_name("COL");
  command
      .add_option(
          "--group", others_.group,
          "column with the group of each row; rows of one group stay together in every split")
      ->type_name("COL");
  command
      .add_option("--time", others_.time,
                  "column with the time of each row; the latest rows are held out")
      ->type_name("COL");
  command.add_option("--exclude", exclude_, "columns that --context all leaves out")
      ->type_name("COLS");
  reading_.add_for_log(command);
}

void LogArguments::add_unit(CLI::App& command) {
  command
      .add_option("--unit", others_.unit,
                  "column that says whose row it is, such as a customer; personal deviations of "
                  "the weights are learned")
      ->type_name("COL");
}

TableSource LogArguments::source(const ReadingRules& otherwise) const {
  TableSource source = log;
  source.rules = reading_.rules(otherwise);
  return source;
}

Roles LogArguments::roles(const Roles& otherwise) const {
  const auto names = [](const std::string& given, const std::vector<std::string>& other) {
    return given.empty() ? other : split_names(given);
  };
  const auto name = [](const std::string& given, const std::string& other) {
    return given.empty() ? other : given;
  };
  return {.contexts = names(contexts_, otherwise.contexts),
          .factors = names(factors_, otherwise.factors),
          .term_shrinkage = factors_.empty() ? otherwise.term_shrinkage : 1,
          .outcome = name(others_.outcome, otherwise.outcome),
          .weight = name(others_.weight, otherwise.weight),
          .group = name(others_.group, otherwise.group),
          .unit = name(others_.unit, otherwise.unit),
          .time = name(others_.time, otherwise.time),
          .exclude = split_names(exclude_)};
}

}  // namespace otss::app
