#include "otss/report/report.hpp"

#include <fmt/core.h>

#include <optional>

#include "arguments.hpp"
#include "command.hpp"
#include "evaluate_policy.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/base/printable.hpp"
#include "otss/model/model_file.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct ReportArguments {
  std::string model;
  TableSource log;
  FeasibleArguments feasible;
  PolicyArguments policy;
  UnitArguments units;
  NewValueArguments new_values;
  ReadingArguments reading;
  std::string compare, facts;
  std::uint64_t seed = 1;
  int threads = 0;
  Output output;

  bool has_log() const { return !log.path.empty(); }
  bool has_feasible() const { return !feasible.library.empty() || !feasible.candidates.empty(); }
};

// Throws an Error if `option` is given without what it needs. `needs` says what to add.
void require(bool has_needed, bool is_given, const char* option, const char* needs) {
  if (!is_given || has_needed) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{0} needs {1}; add it, or leave out {0}", option, needs));
}

void check_feasible(const ReportArguments& arguments) {
  const FeasibleArguments& feasible = arguments.feasible;
  if (!feasible.library.empty() && !feasible.candidates.empty()) {
    throw Error(ErrorCode::kUsage,
                "--library and --candidates cannot be combined; leave out one of them");
  }
  require(arguments.has_feasible(), !feasible.id.empty(), "--id",
          "--library LIB or --candidates CAND");
  require(!feasible.id.empty(), arguments.has_feasible(), "--library or --candidates",
          "--id COL, the column with the ids of the decisions");
  require(!feasible.candidates.empty(), !feasible.context_id.empty(), "--context-id",
          "--candidates CAND");
  require(!feasible.context_id.empty(), !feasible.candidates.empty(), "--candidates",
          "--context-id COL, the column of LOG and of CAND with the context id");
  require(arguments.has_log(), !feasible.candidates.empty(), "--candidates", "LOG");
}

void check_usage(const ReportArguments& arguments) {
  if (arguments.output.path.empty() && arguments.facts.empty()) {
    throw Error(ErrorCode::kUsage,
                "the output is missing; give -o report.html for the page, or --facts facts.json "
                "for its numbers");
  }
  check_feasible(arguments);
  const PolicyArguments& policy = arguments.policy;
  require(arguments.has_log(), policy.is_given(), "--propensity", "LOG");
  require(!policy.decision.empty(), policy.is_given(), "--propensity",
          "--decision COL, the column of LOG with the id of the logged decision");
  require(arguments.has_log() && arguments.has_feasible(), !policy.decision.empty(), "--decision",
          "LOG and --library LIB or --candidates CAND");
  require(policy.is_given(), policy.in_sample, "--in-sample", "--propensity COL");
  require(arguments.has_log(), arguments.units.is_given(), "--history or --units", "LOG");
  require(arguments.has_log(), !arguments.log.query.empty(), "--query", "LOG");
  const std::vector<std::string> inputs =
      with({arguments.model, arguments.log.path, arguments.feasible.library,
            arguments.feasible.candidates, arguments.compare},
           arguments.units.inputs());
  arguments.output.check(inputs);
  Output{.path = arguments.facts, .option = "--facts"}.check(inputs);
  if (arguments.facts == arguments.output.path) {
    throw Error(ErrorCode::kUsage,
                fmt::format("-o and --facts both name {}; give two files", arguments.output.path));
  }
}

std::optional<FeasibleSet> read_feasible(const ReportArguments& arguments, const Fitted& fitted) {
  if (!arguments.has_feasible()) return std::nullopt;
  const FeasibleArguments& feasible = arguments.feasible;
  const bool is_library = feasible.candidates.empty();
  const TableReader reader(
      fitted.encoder().as_trained({.path = is_library ? feasible.library : feasible.candidates,
                                   .rules = arguments.reading.rules()}));
  if (is_library) return read_library(reader, feasible.id, fitted.factor_names());
  return read_candidates(reader, feasible.context_id, feasible.id, fitted.factor_names());
}

ReportOptions options_of(const ReportArguments& arguments) {
  constexpr double kLevel = 0.9;
  ReportOptions options{.model = arguments.model};
  if (arguments.has_log()) {
    options.log = arguments.log;
    options.log->threads = arguments.threads;
    options.log->rules = arguments.reading.rules();
  }
  options.decision = arguments.policy.decision;
  if (arguments.policy.is_given()) options.policy = arguments.policy.question(kLevel);
  options.compare = arguments.compare;
  options.units = arguments.units.columns();
  options.unknown = arguments.new_values.unknown_policy();
  options.outside = arguments.new_values.outside_policy();
  options.seed = arguments.seed;
  options.threads = arguments.threads;
  return options;
}

// Returns the words of this command line.
std::vector<std::string> command_words(const ReportArguments& arguments) {
  std::vector<std::string> words{"otss", "report", arguments.model};
  if (arguments.has_log()) words.push_back(arguments.log.path);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--query", arguments.log.query);
  add("--library", arguments.feasible.library);
  add("--candidates", arguments.feasible.candidates);
  add("--context-id", arguments.feasible.context_id);
  add("--id", arguments.feasible.id);
  add("--propensity", arguments.policy.propensity);
  add("--decision", arguments.policy.decision);
  add("--compare", arguments.compare);
  if (arguments.policy.in_sample) words.emplace_back("--in-sample");
  if (arguments.seed != ReportOptions{}.seed) add("--seed", std::to_string(arguments.seed));
  add("-o", arguments.output.path);
  add("--facts", arguments.facts);
  // The page shows the command, so it must not contain a password.
  for (std::string& word : words) word = without_passwords(word);
  return words;
}

void run(ReportArguments& arguments) {
  check_usage(arguments);
  const Fitted fitted = load_model(arguments.model);
  const std::optional<FeasibleSet> feasible = read_feasible(arguments, fitted);
  const bool is_candidates = feasible && !feasible->is_shared();
  arguments.units.load(fitted, arguments.reading.rules(), arguments.threads,
                       is_candidates ? &*feasible : nullptr);
  ReportOptions options = options_of(arguments);
  if (feasible) options.feasible = &*feasible;
  options.command = command_words(arguments);
  const Report made = report(fitted, options);
  write_report(made, arguments.output.path, arguments.facts);
  warn_about(made.unknown, fitted.encoder());
  if (!arguments.output.json) return;
  Json summary{{"page_bytes", made.page.size()},
               {"facts_bytes", made.facts.size()},
               {"unknown_levels", made.unknown.unknown_levels},
               {"unexpected_missing", made.unknown.unexpected_missing},
               {"far_values", made.unknown.num_far_values()}};
  fmt::print("{}\n", summary.dump());
}

void add_inputs(CLI::App& command, ReportArguments& arguments) {
  command.add_option("MODEL", arguments.model, "a model file")->required();
  add_table(command, arguments.log, "LOG",
            "table with the contexts; with the factors and the outcome too, the page says how good "
            "the predictions are; without LOG, the page tells what the model file knows");
  command.get_option("LOG")->required(false);
  command
      .add_option("--library", arguments.feasible.library,
                  "decisions that are the same for all contexts: a table with the decision's id "
                  "and factors")
      ->type_name("LIB");
  command
      .add_option("--candidates", arguments.feasible.candidates,
                  "decisions of each context separately: a table with the context id, the "
                  "decision's id and the factors")
      ->type_name("CAND");
  command
      .add_option("--context-id", arguments.feasible.context_id,
                  "column of LOG and of CAND with the context id")
      ->type_name("COL");
  command.add_option("--id", arguments.feasible.id, "column with the ids of the decisions")
      ->type_name("COL");
  command
      .add_option("--compare", arguments.compare,
                  "a comparison of methods, which otss compare --json printed; the page shows it")
      ->type_name("FILE");
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "Write a page that explains a model: its segments, decisions and quality");
  const auto arguments = std::make_shared<ReportArguments>();
  add_inputs(*command, *arguments);
  arguments->policy.add(*command);
  arguments->units.add(*command, "LOG");
  arguments->new_values.add(*command);
  arguments->reading.add_for_table(*command);
  command->add_option("--seed", arguments->seed, "seed of the sample of LOG for what needs rows")
      ->check(number_range(0, 9e15))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "number of threads; 0 uses all cores")
      ->check(number_range(0, 1024));
  command
      ->add_option("--facts", arguments->facts,
                   "file for the numbers of the page, as JSON (docs/reference/facts.md)")
      ->type_name("FILE");
  arguments->output.add(*command, "file for the page, such as report.html");
  command->footer(
      "The page is one HTML file that needs no other file and makes no request.\nExamples:\n"
      "  otss report model.json -o report.html\n"
      "  otss report model.json log.csv --library library.csv --id id -o report.html\n"
      "  otss report model.json test.csv --library library.csv --id id --propensity propensity "
      "--decision decision --facts facts.json -o report.html");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
