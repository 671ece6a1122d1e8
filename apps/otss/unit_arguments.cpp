#include "unit_arguments.hpp"

#include <fmt/core.h>

#include "messages.hpp"
#include "otss/base/error.hpp"

namespace otss::app {

void UnitArguments::add(CLI::App& command, const std::string& table) {
  command
      .add_option("--history", history_,
                  "log with earlier rows of units, such as customers; a row of " + table +
                      " whose unit has such rows gets the weights of this unit")
      ->type_name("LOG");
  command
      .add_option("--units", units_,
                  "units file made by otss units, which is used instead of --history")
      ->type_name("FILE");
  command
      .add_option("--unit", unit_,
                  "column of " + table +
                      ", and of LOG, that names the unit of each row; default: the unit column of "
                      "the fit")
      ->type_name("COL");
  command
      .add_option("--time", time_,
                  "column of " + table +
                      ", and of LOG, with the time of each row; only rows of LOG that are strictly "
                      "earlier count")
      ->type_name("COL");
}

void UnitArguments::check_usage() const {
  if (!history_.empty() && !units_.empty()) {
    throw Error(ErrorCode::kUsage,
                "--history and --units cannot be combined; make a units file from both with otss "
                "units, or leave out one of them");
  }
  if (is_given()) return;
  for (const auto& [option, value] : {std::pair("--unit", &unit_), std::pair("--time", &time_)}) {
    if (value->empty()) continue;
    throw Error(ErrorCode::kUsage,
                fmt::format("{0} is used only with --history LOG or --units FILE; add one of them, "
                            "or leave out {0}",
                            option));
  }
}

void UnitArguments::load(const Fitted& fitted, const ReadingRules& rules, int threads,
                         const FeasibleSet* centered_by) {
  check_usage();
  if (!is_given()) return;
  if (unit_.empty()) unit_ = fitted.roles().unit;
  if (!units_.empty()) {
    states_ = load_units(fitted, units_);
    return;
  }
  if (!fitted.roles().centered_by.empty() && centered_by == nullptr) {
    throw Error(ErrorCode::kUsage,
                "--history: the model was fitted with --center-factors, so the history needs its "
                "candidates; make a units file with otss units --candidates CAND, and give --units "
                "FILE");
  }
  states_ = update_units(UnitStates(fitted), {.path = history_, .rules = rules, .threads = threads},
                         {.unit = unit_,
                          .time = time_,
                          .keep_rows = UpdateOptions::kAllRows,
                          .centered_by = centered_by,
                          .threads = threads});
}

UnitColumns UnitArguments::columns() const {
  return {.states = states_ ? &*states_ : nullptr, .unit = unit_, .time = time_};
}

}  // namespace otss::app
