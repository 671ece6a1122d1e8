#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <map>

#include "arguments.hpp"
#include "command.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/unit_states.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

struct UnitsArguments {
  std::string model, history, old, unit, time, half_life, candidates;
  int keep_rows = -1;  // -1: as the old units file has it
  NewValueArguments new_values;
  ReadingArguments reading;
  int threads = 0;
  Output output;
};

// Returns the half-life in the unit of the time column. A number may be followed by s, min, h, d or
// w, because dates are read as seconds.
double parse_half_life(const std::string& text) {
  static const std::map<std::string, double> kSeconds{{"", 1},     {"s", 1},     {"min", 60},
                                                      {"h", 3600}, {"d", 86400}, {"w", 604800}};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto unit = kSeconds.find(std::string(end, text.data() + text.size()));
  if (error != std::errc() || unit == kSeconds.end() || !(value > 0) || !std::isfinite(value)) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--half-life {}: give a positive number in the unit of the time column, "
                    "or, for dates, a time such as 30d, 12h or 4w",
                    text));
  }
  return value * unit->second;
}

void check_usage(const UnitsArguments& arguments) {
  const auto require = [](const std::string& value, const char* message) {
    if (value.empty()) throw Error(ErrorCode::kUsage, message);
  };
  require(arguments.history, "--history LOG is missing; give the log with the rows of the units");
  require(arguments.output.path, "-o FILE is missing; give the units file to write");
  arguments.output.check({arguments.model, arguments.history, arguments.old, arguments.candidates});
}

UpdateOptions options_of(const UnitsArguments& arguments, const Fitted& fitted) {
  UpdateOptions options{.unit = arguments.unit.empty() ? fitted.roles().unit : arguments.unit,
                        .time = arguments.time};
  if (!arguments.half_life.empty()) options.half_life = parse_half_life(arguments.half_life);
  if (arguments.keep_rows >= 0) options.keep_rows = arguments.keep_rows;
  options.unknown = arguments.new_values.unknown_policy();
  options.outside = arguments.new_values.outside_policy();
  options.threads = arguments.threads;
  return options;
}

std::size_t total_rows(const UnitStates& states) {
  std::size_t rows = 0;
  for (std::size_t unit = 0; unit < states.num_units(); ++unit) rows += states.num_rows(unit);
  return rows;
}

void run(const UnitsArguments& arguments) {
  check_usage(arguments);
  const Fitted fitted = load_model(arguments.model);
  UpdateOptions options = options_of(arguments, fitted);
  const UnitStates old =
      arguments.old.empty() ? UnitStates(fitted) : load_units(fitted, arguments.old);
  std::optional<FeasibleSet> candidates;
  if (!arguments.candidates.empty()) {
    if (fitted.roles().centered_by.empty()) {
      throw Error(ErrorCode::kUsage,
                  "--candidates: this model does not need candidates, because it was not fitted "
                  "with --center-factors and --candidates; leave out --candidates");
    }
    const TableReader reader(fitted.encoder().as_trained(
        {.path = arguments.candidates, .rules = arguments.reading.rules()}));
    candidates = read_candidates(reader, fitted.roles().centered_by, "", fitted.factor_names());
    options.centered_by = &*candidates;
  }
  UnknownCounts unknown;
  options.counts = &unknown;
  const UnitStates states = update_units(
      old,
      {.path = arguments.history, .rules = arguments.reading.rules(), .threads = arguments.threads},
      options);
  save_units(states, arguments.output.path, arguments.threads);
  warn_about(unknown, fitted.encoder());
  const std::size_t new_units = states.num_units() - old.num_units();
  const std::size_t new_rows = total_rows(states) - total_rows(old);
  if (arguments.output.json) {
    fmt::print("{}\n", Json{{"units", states.num_units()},
                            {"new_units", new_units},
                            {"rows", total_rows(states)},
                            {"new_rows", new_rows},
                            {"unknown_levels", unknown.unknown_levels},
                            {"unexpected_missing", unknown.unexpected_missing},
                            {"far_values", unknown.num_far_values()}}
                           .dump());
  } else {
    print_text("wrote {}: {} units ({} new), {} rows ({} new)\n", arguments.output.path,
               states.num_units(), new_units, total_rows(states), new_rows);
  }
}

}  // namespace

void add_units(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "units", "Learn from the history of each unit, such as a customer, and write a units file");
  const auto arguments = std::make_shared<UnitsArguments>();
  command->add_option("MODEL", arguments->model, "a model file that was fitted with --unit")
      ->required();
  command
      ->add_option("--history", arguments->history,
                   "log with the rows of the units: contexts, factors, outcome and unit")
      ->type_name("LOG");
  command
      ->add_option("--unit", arguments->unit,
                   "column that names the unit of each row; default: the unit column of the fit")
      ->type_name("COL");
  command
      ->add_option("--time", arguments->time,
                   "column with the time of each row; needed to update a units file")
      ->type_name("COL");
  command
      ->add_option("--units", arguments->old,
                   "units file to update; the rows of LOG must be later than those of the file")
      ->type_name("OLD");
  command
      ->add_option("--half-life", arguments->half_life,
                   "a row counts half after this time: a number in the unit of the time column, or "
                   "for dates a time such as 30d; default: rows are never forgotten")
      ->type_name("T");
  command
      ->add_option("--keep-rows", arguments->keep_rows,
                   "keep this many latest rows of each unit as they are, so that updates are exact "
                   "for them")
      ->check(number_range(0, 1'000'000))
      ->type_name("N");
  command
      ->add_option("--candidates", arguments->candidates,
                   "decisions of each context separately; needed for a model that was fitted with "
                   "--center-factors and --candidates")
      ->type_name("CAND");
  arguments->new_values.add(*command);
  command->add_option("--threads", arguments->threads, "number of threads; 0 uses all cores")
      ->check(number_range(0, 1024));
  arguments->reading.add_for_table(*command);
  arguments->output.add(*command, "units file to write (.parquet, .csv, .json)");
  command->footer(
      "Examples:\n"
      "  otss units model.json --history log.csv --unit customer --time day -o units.parquet\n"
      "  otss units model.json --units units.parquet --history today.csv --unit customer --time "
      "day -o new.parquet\n"
      "  otss units model.json --history log.csv --unit customer --time day --half-life 90d "
      "--keep-rows 20 -o units.parquet");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
