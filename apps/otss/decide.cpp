#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "arguments.hpp"
#include "choice_option.hpp"
#include "command.hpp"
#include "confidence.hpp"
#include "context_stream.hpp"
#include "decide_plan.hpp"
#include "decision_table.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/prepared_tables.hpp"
#include "otss/decide/certify.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct DecideArguments {
  std::string model;
  ContextArguments contexts;
  UnitArguments units;
  std::string library, candidates, context_id, id;
  int threads = 1;
  Device device = Device::kCpu;
  DecisionColumns columns;
  PlanArguments plan;
  Output output;
};

std::vector<std::string> texts_of(const ColumnChunk& column) {
  std::vector<std::string> texts;
  for (const std::string_view text : column.texts)
    texts.emplace_back(text.data() == nullptr ? "" : text);
  return texts;
}

void check_usage(const DecideArguments& arguments) {
  arguments.output.require_path_for_json();
  arguments.output.check(with(
      {arguments.model, arguments.contexts.source.path, arguments.library, arguments.candidates},
      arguments.units.inputs()));
  if (arguments.library.empty() == arguments.candidates.empty()) {
    throw Error(
        ErrorCode::kUsage,
        "the decisions to choose from are missing; give one of --library LIB, --candidates CAND or "
        "--mps PLAN");
  }
  if (arguments.id.empty()) {
    throw Error(ErrorCode::kUsage,
                "--id COL is missing; give the column with the ids of the decisions");
  }
  if (arguments.candidates.empty() != arguments.context_id.empty()) {
    throw Error(ErrorCode::kUsage,
                "--candidates CAND and --context-id COL must be given together; COL is the column "
                "of CONTEXTS and of CAND with the context id");
  }
  if (arguments.columns.certify_margin && arguments.columns.certify == 0) {
    throw Error(ErrorCode::kUsage,
                "--certify-margin needs --certify LEVEL; add --certify 0.9, for example");
  }
}

void check_model(const Fitted& fitted, const DecisionColumns& columns) {
  if (columns.explain && !fitted.has_weights()) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--explain: a {} model has scores but no weights, so its scores cannot "
                            "be split by factor; leave out --explain, or fit a model with another "
                            "--method",
                            word(fitted.method())));
  }
  if (columns.certify > 0) require_uncertainty(fitted, "--certify");
}

FeasibleSet read_feasible(const DecideArguments& arguments, const Fitted& fitted) {
  const bool is_library = arguments.candidates.empty();
  const TableReader reader(fitted.encoder().as_trained(
      arguments.contexts.beside(is_library ? arguments.library : arguments.candidates)));
  if (is_library) return read_library(reader, arguments.id, fitted.factor_names());
  return read_candidates(reader, arguments.context_id, arguments.id, fitted.factor_names());
}

// Finds the decisions of a chunk. Returns the function that writes them.
std::function<void()> decide_chunk(const Fitted& fitted, const Decider& decider,
                                   const DecideArguments& arguments, const ContextChunk& chunk,
                                   const std::vector<std::string>& context_ids,
                                   DecisionTable& table) {
  const Contexts contexts{chunk.num_rows, chunk.x, context_ids, chunk.units};
  const std::vector<Decision> found = decider.decide(contexts);
  std::vector<Certificate> certificates;
  if (arguments.columns.certify > 0) {
    certificates = certify(fitted, contexts, table.decisions_of(found), decider.feasible(),
                           {.level = arguments.columns.certify,
                            .score_error = arguments.columns.certify_margin,
                            .num_threads = arguments.threads});
  }
  return table.prepare(chunk, found, decider.feasible(), certificates);
}

Json certified_to_json(const CertifiedTotals& totals, double level) {
  const double count = std::max(1.0, static_cast<double>(totals.decisions));
  return {{"level", level},
          {"decisions", totals.decisions},
          {"certified", totals.certified},
          {"expected_regret", totals.expected_regret / count},
          {"regret_bound", totals.regret_bound / count}};
}

void print_certified(const Fitted& fitted, const Json& totals) {
  note_failed_checks(fitted);
  note(
      "{} of {} decisions are certified as the best at {:g} % confidence; over all decisions, the "
      "mean expected regret is {:.3g} and the mean bound on the regret is {:.3g}",
      totals["certified"].get<std::size_t>(), totals["decisions"].get<std::size_t>(),
      100 * totals["level"].get<double>(), totals["expected_regret"].get<double>(),
      totals["regret_bound"].get<double>());
}

void run(DecideArguments& arguments) {
  check_usage(arguments);
  // The feasible decisions and the contexts.
  const PreparedTables tables(2, arguments.contexts.threads);
  const Fitted fitted = load_model(arguments.model);
  check_model(fitted, arguments.columns);
  arguments.threads = arguments.contexts.threads;
  const bool per_context = !arguments.candidates.empty();
  std::vector<std::string> extra;
  if (per_context) extra.push_back(arguments.context_id);
  FeasibleSet feasible = read_feasible(arguments, fitted);
  arguments.units.load(fitted, arguments.contexts.reading.rules(), arguments.threads,
                       per_context ? &feasible : nullptr);
  arguments.columns.explain_unit = arguments.columns.explain && arguments.units.is_given();
  ContextStream stream(arguments.contexts, fitted.encoder(), arguments.output.path, extra,
                       arguments.units.columns());
  DecisionTable table(fitted, stream, arguments.columns, arguments.output, arguments.threads,
                      arguments.contexts.ranks);
  const Decider decider(fitted.scorer(), std::move(feasible),
                        {.top = arguments.columns.top_to_find(),
                         .num_threads = arguments.threads,
                         .prune = !arguments.units.is_given(),
                         .device = arguments.device});
  CandidateUse use(decider.feasible());
  stream.read_in_parallel([&](const ContextChunk& chunk) -> std::function<void()> {
    std::vector<std::string> context_ids;
    if (per_context) context_ids = texts_of(chunk.extra.front());
    auto write = decide_chunk(fitted, decider, arguments, chunk, context_ids, table);
    return [&use, write = std::move(write), context_ids = std::move(context_ids)] {
      use.add(context_ids);
      write();
    };
  });
  if (arguments.contexts.ranks != nullptr) use.add_ranks(*arguments.contexts.ranks);
  if (use.num_unused_rows() > 0) {
    note("{} rows of --candidates were ignored, because their contexts are not in CONTEXTS",
         use.num_unused_rows());
  }
  table.commit();
  warn_about(stream.unknown(), fitted.encoder());
  Json summary{{"contexts", stream.num_rows()}, {"rows", table.num_rows()}};
  if (arguments.units.is_given()) summary["rows_of_known_units"] = stream.num_known();
  if (arguments.columns.certify > 0) {
    summary["certificates"] = certified_to_json(table.totals(), arguments.columns.certify);
    print_certified(fitted, summary["certificates"]);
  }
  if (arguments.output.json && is_first(arguments.contexts.ranks))
    fmt::print("{}\n", summary.dump());
}

}  // namespace

void add_decide(CLI::App& app, Ranks* ranks) {
  CLI::App* command =
      app.add_subcommand("decide", "Find the best decision of each context, by exact search");
  const auto arguments = std::make_shared<DecideArguments>();
  if (ranks != nullptr) arguments->contexts.share(*ranks);
  command->add_option("MODEL", arguments->model, "a model file")->required();
  arguments->contexts.add(*command);
  arguments->units.add(*command, "CONTEXTS");
  command
      ->add_option("--library", arguments->library,
                   "decisions that are the same for all contexts: a table with the decision's id "
                   "and factors")
      ->type_name("LIB");
  command
      ->add_option("--candidates", arguments->candidates,
                   "decisions of each context separately: a table with the context id, the "
                   "decision's id and the factors")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->context_id,
                   "column of CONTEXTS and of CAND with the context id")
      ->type_name("COL");
  command->add_option("--id", arguments->id, "column with the ids of the decisions")
      ->type_name("COL");
  command
      ->add_option("--top", arguments->columns.top,
                   "number of decisions to show per context, the best first")
      ->check(number_range(1, 1'000'000))
      ->capture_default_str();
  add_level(
      *command, "--certify", arguments->columns.certify,
      "add columns that say whether a decision is the best one at this confidence level, and how "
      "large its regret can be");
  command->add_flag("--certify-margin", arguments->columns.certify_margin,
                    "with --certify: also add the columns margin_certified and score_error; "
                    "margin_certified is true if margin > 2 score_error, the test of the paper, "
                    "which certifies fewer decisions than --certify");
  command->add_flag(
      "--explain", arguments->columns.explain,
      "add the contribution of each factor to the score (c_<factor>) and to the margin "
      "(d_<factor>), the share of each expert (alpha_<k>), and the part of the score that comes "
      "from each expert (e_<k>)");
  add_choice(
      *command, "--device", arguments->device,
      "what searches a library: the processor (cpu) or an NVIDIA GPU (cuda); the decisions are "
      "the same");
  arguments->plan.add_files(*command);
  arguments->plan.add_solver_options(*command);
  arguments->output.add_table(*command);
  command->footer(
      "The output has the columns row, rank, decision, score and margin. The score is w'z in the "
      "log's units; the margin is the score minus the score of the best other decision.\n"
      "With --mps the output has the columns row, status, objective, bound, gap, z_<factor> (the "
      "total of each factor) and solution (the variables that are not zero).\n"
      "Examples:\n"
      "  otss decide model.json customers.csv --library offers.csv --id offer --keep customer_id "
      "-o decisions.csv\n"
      "  otss decide model.json orders.csv --candidates routes.csv --context-id order --id route "
      "--top 3 --explain\n"
      "  otss decide model.json customers.csv --library offers.csv --id offer --certify 0.9\n"
      "  otss decide model.json customers.csv --mps plan.mps --factor-map map.csv --time-limit 10");
  command->callback([arguments, command] {
    if (arguments->plan.is_given()) {
      if (arguments->contexts.ranks != nullptr)
        throw Error(ErrorCode::kUsage,
                    "--mps cannot be used with several ranks, because the solver uses the solution "
                    "of one context for the next; use otss decide");
      check_plan_usage(*command);
      arguments->output.require_path_for_json();
      decide_plan(arguments->model, arguments->contexts, arguments->units, arguments->plan,
                  arguments->output);
    } else {
      run(*arguments);
    }
  });
}

}  // namespace otss::app
