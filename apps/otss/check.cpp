#include "otss/learn/check.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "arguments.hpp"
#include "command.hpp"
#include "json.hpp"
#include "log_arguments.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"
#include "printing.hpp"

namespace otss::app {
namespace {

constexpr int kNotIdentified = 3;

struct CheckArguments {
  LogArguments log;
  std::string library, candidates, context_id, id;
  int threads = 0;
  bool json = false;
};

void check_usage(const CheckArguments& arguments) {
  const auto refuse = [](const char* what) { throw Error(ErrorCode::kUsage, what); };
  const bool library = !arguments.library.empty();
  const bool candidates = !arguments.candidates.empty();
  if (library && candidates)
    refuse("--library and --candidates cannot be given together; give one of them");
  if ((library || candidates) == arguments.id.empty())
    refuse(
        "--id COL must be given together with --library LIB or --candidates CAND; COL is the "
        "column "
        "of that table with the ids of the decisions");
  if (candidates == arguments.context_id.empty())
    refuse(
        "--candidates CAND and --context-id COL must be given together; COL is the column of LOG "
        "and of CAND with the context id");
}

// Reads the table of --library or --candidates by the same reading rules as the log. Returns
// nothing if neither option is given.
std::optional<FeasibleSet> read_feasible(const CheckArguments& arguments, TableReader& log,
                                         const Roles& roles) {
  if (arguments.library.empty() && arguments.candidates.empty()) return std::nullopt;
  const std::vector<std::string> factors = plan_log(log, roles).roles.factors;
  const TableReader reader(
      TableSource{.path = arguments.library.empty() ? arguments.candidates : arguments.library,
                  .rules = log.rules().settled(),
                  .threads = arguments.threads});
  if (!arguments.library.empty()) return read_library(reader, arguments.id, factors);
  return read_candidates(reader, arguments.context_id, arguments.id, factors);
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json to_json(const LogCheck& check) {
  Json findings = Json::array();
  for (const Finding& finding : check.findings) {
    findings.push_back({{"severity", word(finding.severity)},
                        {"kind", finding.kind},
                        {"what", finding.what},
                        {"columns", finding.columns}});
  }
  return {{"identified", check.identified},
          {"rows", check.rows},
          {"usable_rows", check.usable_rows},
          {"contexts", check.contexts},
          {"encoded_contexts", check.encoded_contexts},
          {"factors", check.factors},
          {"outcome_rate", or_null(check.outcome_rate)},
          {"condition", or_null(check.condition)},
          {"findings", findings}};
}

// Returns true if every warning says that several rows belong to one person.
bool only_persons(const LogCheck& check) {
  return std::ranges::all_of(check.findings, [](const Finding& finding) {
    return finding.severity != Severity::kWarning || finding.kind == "persons";
  });
}

std::string verdict(const LogCheck& check) {
  if (!check.identified)
    return "The model is not identified: some weights cannot be learned from this log.";
  if (check.findings.empty()) return "The model is identified. Nothing in this log prevents a fit.";
  switch (check.findings.front().severity) {
    case Severity::kRefused:
      return "The model is identified, but otss fit refuses this log for the reasons marked "
             "'refused' below.";
    case Severity::kWarning:
      return only_persons(check)
                 ? "The model is identified, but rows seem to depend on each other."
                 : "The model is identified, but some of its weights will depend on few rows.";
    default: return "The model is identified. Nothing in this log prevents a fit.";
  }
}

void print(const LogCheck& check, const std::string& outcome) {
  fmt::print("{} rows ({} usable), {} ({} encoded), {}\n", check.rows, check.usable_rows,
             counted(check.contexts, "context column"), check.encoded_contexts,
             counted(check.factors, "factor"));
  if (check.outcome_rate)
    print_text("outcome '{}' is 1 in {:.1f} % of the usable rows\n", outcome,
               100 * *check.outcome_rate);
  if (check.condition) {
    fmt::print("condition number of the factors given the context: {:.3g}\n", *check.condition);
  }
  fmt::print("\n{}\n", verdict(check));
  for (const Finding& finding : check.findings)
    fmt::print("- {}: {}\n", word(finding.severity), printable(finding.what));
}

void run(const CheckArguments& arguments) {
  check_usage(arguments);
  const Roles roles = arguments.log.roles();
  TableSource source = arguments.log.source();
  source.threads = arguments.threads;
  TableReader reader(source);
  const CheckOptions options{.feasible = read_feasible(arguments, reader, roles),
                             .threads = arguments.threads};
  const LogCheck check = check_log(std::move(reader), roles, options);
  if (arguments.json) {
    fmt::print("{}\n", to_json(check).dump());
  } else {
    print(check, roles.outcome);
  }
  if (!check.identified) throw ExitCode{kNotIdentified};
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("check", "Check, before a fit, whether a log can support a model");
  const auto arguments = std::make_shared<CheckArguments>();
  arguments->log.add(*command);
  command
      ->add_option(
          "--library", arguments->library,
          "decisions that the model will choose from; check reports decisions whose factors are "
          "outside the range of the log")
      ->type_name("LIB");
  command
      ->add_option("--candidates", arguments->candidates,
                   "decisions that the model will choose from, listed per context; check also says "
                   "whether otss fit should be run with --center-factors")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->context_id,
                   "column of LOG and of CAND with the context id")
      ->type_name("COL");
  command->add_option("--id", arguments->id, "column with the ids of the decisions")
      ->type_name("COL");
  command->add_option("--threads", arguments->threads, "number of threads; 0 uses all cores")
      ->check(number_range(0, 1024));
  command->add_flag("--json", arguments->json, "print the result as JSON");
  command->footer(
      "Lists the problems of this log, the most serious first: weights that no fit can learn from "
      "it, values that otss fit refuses, and weights that would depend on few rows.\n"
      "The exit code is 3 if the model is not identified.\n"
      "Examples:\n"
      "  otss check log.csv --context age,region --factors price,health --outcome retained\n"
      "  otss check log.csv --context all --exclude id --factors price,health --outcome y "
      "--library offers.csv --id offer");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
