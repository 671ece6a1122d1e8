#include "otss/decide/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "command.hpp"
#include "evaluate_policy.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "number_range.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"
#include "text_table.hpp"
#include "unit_arguments.hpp"

namespace otss::app {
namespace {

struct EvaluateArguments {
  std::string model;
  TableSource table;
  std::string truth, segments;
  FeasibleArguments feasible;
  PolicyArguments policy;
  UnitArguments units;
  NewValueArguments new_values;
  double level = 0.9;
  std::string group;
  ReadingArguments reading;
  bool json = false;
  Ranks* ranks = nullptr;  // the processes that evaluate the table together; null means one process
};

// Opens the table at `path`, to be read by the rules by which the model's log was read.
TableReader as_trained(const std::string& path, const EvaluateArguments& arguments,
                       const Fitted& fitted) {
  return TableReader(
      fitted.encoder().as_trained({.path = path, .rules = arguments.reading.rules()}));
}

// Reads the table of --candidates. The candidates have two uses. A model with centred factors needs
// the mean factors of the candidates. The estimate of a policy's value needs the candidates as the
// decisions that the policy chooses from.
std::optional<FeasibleSet> read_candidates_of(const EvaluateArguments& arguments,
                                              const Fitted& fitted) {
  const std::string& centered_by = fitted.roles().centered_by;
  const FeasibleArguments& feasible = arguments.feasible;
  const bool has_policy = arguments.policy.is_given();
  if (feasible.candidates.empty()) return std::nullopt;
  if (centered_by.empty() && !has_policy) {
    throw Error(ErrorCode::kUsage,
                "--candidates: this model does not need candidates, because it was not fitted with "
                "--center-factors and --candidates; leave out --candidates");
  }
  const std::string& context_id = feasible.context_id.empty() ? centered_by : feasible.context_id;
  if (context_id.empty()) {
    throw Error(ErrorCode::kUsage,
                "--candidates needs --context-id COL; COL is the column of TABLE and of CAND with "
                "the context id");
  }
  return read_candidates(as_trained(feasible.candidates, arguments, fitted), context_id,
                         has_policy ? feasible.id : "", fitted.factor_names());
}

// Collects the measures of an evaluation as JSON. The intervals are in an object of their own, so
// that each measure stays a plain number.
class MeasureTable {
 public:
  Json result = Json::object();

  // Adds a measure. A measure that is undefined is null.
  void add(const char* name, double value) { result[name] = value; }
  void add(const char* name, double value, const Bounds& bounds) {
    add(name, value);
    result["intervals"][name] = {{"lo", bounds.lo}, {"hi", bounds.hi}};
  }
};

// Adds the measures of the model's output family.
void add_quality(OutputFamily family, const PredictionQuality& quality,
                 const QualityIntervals& intervals, MeasureTable& table) {
  table.add("log_loss", quality.log_loss, intervals.log_loss);
  table.add("calibration_slope", quality.calibration_slope, intervals.calibration_slope);
  const bool binary = family == OutputFamily::kBernoulli;
  table.add(binary ? "brier" : "mse", quality.squared_error, intervals.squared_error);
  switch (family.kind()) {
    case OutputFamily::kBernoulli: table.add("auc", quality.auc, intervals.auc); break;
    case OutputFamily::kGaussian: table.add("r2", quality.explained, intervals.explained); break;
    case OutputFamily::kPoisson:
      table.add("deviance", quality.deviance, intervals.deviance);
      table.add("deviance_explained", quality.explained, intervals.explained);
      break;
  }
}

// Adds the comparison with the true weights to the result. Without a library the regret cannot be
// computed and is NaN. In this case only weight_mse is added.
void add_truth(const TruthScore& score, const TruthIntervals& intervals, MeasureTable& table) {
  table.add("weight_mse", score.weight_mse, intervals.weight_mse);
  if (std::isnan(score.regret)) return;
  table.add("weight_mse_scaled", score.weight_mse_scaled, intervals.weight_mse_scaled);
  table.add("regret", score.regret, intervals.regret);
  table.add("match_rate", score.match_rate, intervals.match_rate);
}

void add_gate_use(const GateUse& use, Json& result) {
  result["gate_entropy"] = use.entropy;
  result["effective_experts"] = use.effective_experts;
  result["effective_experts_overall"] = use.effective_experts_overall;
  result["expert_usage"] = use.usage;
}

std::string number(const Json& value) {
  // A measure is NaN if it is not defined for these rows. For example, the auc is not defined if
  // all outcomes are equal.
  if (value.is_null() || !std::isfinite(value.get<double>())) return "undefined";
  return fmt::format("{:.5g}", value.get<double>());
}

// Returns a value as text: a measure, a count, or a list of shares.
std::string value_text(const Json& value) {
  if (value.is_number_float() || value.is_null()) return number(value);
  if (!value.is_array()) return value.dump();
  std::vector<std::string> entries;
  for (const Json& entry : value) entries.push_back(fmt::format("{:.3f}", entry.get<double>()));
  return fmt::format("[{}]", fmt::join(entries, ", "));
}

std::string interval_text(const Json& intervals, const std::string& name) {
  if (!intervals.contains(name)) return "";
  const Json& interval = intervals[name];
  const std::string lo = number(interval["lo"]);
  return lo == "undefined" ? lo : fmt::format("[{}, {}]", lo, number(interval["hi"]));
}

void print(const Json& result, const Evaluation& evaluation) {
  // A list with more entries than this is not printed. A posterior mean has hundreds of experts, so
  // its list of shares would be too long.
  constexpr std::size_t kLongestList = 16;
  const Json intervals = result.value("intervals", Json::object());
  TextTable table({"", "", fmt::format("{:.4g} % interval", 100 * evaluation.level)});
  for (const auto& [name, value] : result.items()) {
    if (value.is_object() || (value.is_array() && value.size() > kLongestList)) continue;
    if (name == "level" || name == "independent_units") continue;
    table.add({name, value_text(value), interval_text(intervals, name)});
  }
  print_text("{}", table.str());
  if (evaluation.group.empty() || intervals.empty()) return;
  print_text(
      "\nThe intervals allow rows with the same '{}' to depend on each other; there are {} "
      "groups of such rows.\n",
      evaluation.group, evaluation.num_units);
}

void check_usage(const CLI::App& command, const EvaluateArguments& arguments) {
  arguments.policy.check_usage(command, arguments.feasible);
  const FeasibleArguments& feasible = arguments.feasible;
  if (arguments.policy.is_given()) return;
  if (!feasible.library.empty() && (arguments.truth.empty() || feasible.id.empty())) {
    throw Error(ErrorCode::kUsage,
                "--library needs --id COL and one of two other options: --truth W with the true "
                "weights, to compute the regret, or --propensity COL, to estimate the value of the "
                "model's decisions");
  }
  if (!feasible.id.empty() && feasible.library.empty())
    throw Error(
        ErrorCode::kUsage,
        "--id names a column of the library, but no library is given; add --library LIB, or "
        "leave out --id");
}

Json to_json(const Evaluation& evaluation, OutputFamily family) {
  MeasureTable table;
  if (evaluation.quality)
    add_quality(family, *evaluation.quality, *evaluation.quality_intervals, table);
  if (evaluation.gate) add_gate_use(*evaluation.gate, table.result);
  if (evaluation.segment_agreement) table.add("cluster_alignment", *evaluation.segment_agreement);
  if (evaluation.truth) add_truth(*evaluation.truth, *evaluation.truth_intervals, table);
  table.result["rows"] = evaluation.rows;
  table.result["level"] = evaluation.level;
  table.result["independent_units"] = evaluation.num_units;
  if (evaluation.quality) table.result["in_sample"] = evaluation.in_sample;
  return table.result;
}

void print_result(const EvaluateArguments& arguments, Json result, const Evaluation& evaluation) {
  const auto& policy = evaluation.policy;
  if (arguments.json) {
    if (policy) result.update(policy_json(*policy));
    fmt::print("{}\n", result.dump());
  } else {
    result.erase("in_sample");
    print(result, evaluation);
    if (policy) fmt::print("\n{}", policy_text(policy->value));
  }
  std::fflush(stdout);
  for (const std::string& warning : policy ? policy->warnings : std::vector<std::string>())
    warn("{}", warning);
  if (evaluation.in_sample && !policy) {
    warn(
        "{}: the model was fitted on these rows, so its predictions look better on them than on "
        "new rows; evaluate it on rows that it was not fitted on",
        arguments.table.path);
  }
}

void run(EvaluateArguments& arguments) {
  const Fitted fitted = load_model(arguments.model);
  const std::optional<FeasibleSet> candidates = read_candidates_of(arguments, fitted);
  std::optional<FeasibleSet> library;
  if (!arguments.feasible.library.empty()) {
    library = read_library(as_trained(arguments.feasible.library, arguments, fitted),
                           arguments.feasible.id, fitted.factor_names());
  }
  arguments.units.load(fitted, arguments.reading.rules(), 0, candidates ? &*candidates : nullptr);
  if (arguments.units.may_share_rows()) {
    note(
        "the units file does not say which rows it has counted; if rows of {} are among them, the "
        "model looks better than on new rows; give --time COL, so that only earlier rows count",
        arguments.table.path);
  }
  EvaluateOptions options{.segments = arguments.segments};
  if (!arguments.truth.empty()) options.truth = TableSource{.path = arguments.truth};
  options.level = arguments.level;
  options.units = arguments.units.columns();
  options.group = arguments.group;
  if (arguments.policy.is_given()) options.policy = arguments.policy.question(arguments.level);
  if (candidates) options.centered_by = options.feasible = &*candidates;
  if (library) options.feasible = &*library;
  options.unknown = arguments.new_values.unknown_policy();
  options.outside = arguments.new_values.outside_policy();
  options.ranks = arguments.ranks;
  TableSource table = arguments.table;
  table.rules = arguments.reading.rules();
  if (arguments.ranks != nullptr) table.threads = arguments.ranks->num_cores();
  const Evaluation evaluation = evaluate(fitted, table, options);
  if (!is_first(arguments.ranks)) return;
  warn_about(evaluation.unknown, fitted.encoder());
  print_result(arguments, to_json(evaluation, fitted.family()), evaluation);
}

}  // namespace

void add_evaluate(CLI::App& app, Ranks* ranks) {
  CLI::App* command = app.add_subcommand("evaluate",
                                         "Evaluate a model on a table: its predictions, gate and "
                                         "regret, and the value of its decisions");
  const auto arguments = std::make_shared<EvaluateArguments>();
  arguments->ranks = ranks;
  command->add_option("MODEL", arguments->model, "a model file")->required();
  add_table(
      *command, arguments->table, "TABLE",
      "table with the contexts; to evaluate predictions, the table also needs the factors and the "
      "outcome");
  command
      ->add_option(
          "--truth", arguments->truth,
          "table with the true weights in columns w_<factor>, one row for each row of TABLE")
      ->type_name("W");
  command
      ->add_option(
          "--library", arguments->feasible.library,
          "decisions that are the same for all contexts; needed for the regret; the value of the "
          "decisions needs either this or --candidates")
      ->type_name("LIB");
  command
      ->add_option(
          "--candidates", arguments->feasible.candidates,
          "table with the decisions of each context; the value of the decisions needs either this "
          "or --library; a model that was fitted with --center-factors and --candidates needs this")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->feasible.context_id,
                   "column of TABLE and of CAND with the context id")
      ->type_name("COL");
  command
      ->add_option(
          "--segments", arguments->segments,
          "column with a known segment of each row; prints how well the experts agree with "
          "these segments (adjusted Rand index)")
      ->type_name("COL");
  command->add_option("--id", arguments->feasible.id, "column with the ids of the decisions")
      ->type_name("COL");
  arguments->policy.add(*command);
  arguments->units.add(*command, "TABLE");
  command->add_option("--level", arguments->level, "confidence level of the intervals")
      ->check(number_range(0.5, 0.9999))
      ->capture_default_str();
  command
      ->add_option("--group", arguments->group,
                   "column with the groups of rows that may depend on each other, such as the rows "
                   "of one person; the intervals account for this; default: the group column of "
                   "the fit, if TABLE has it")
      ->type_name("COL");
  arguments->new_values.add(*command);
  arguments->reading.add_for_table(*command);
  command->add_flag("--json", arguments->json, "print the result as JSON");
  command->footer(
      "Examples:\n"
      "  otss evaluate model.json test.csv\n"
      "  otss evaluate model.json test.csv --truth truth.csv --library library.csv --id id --json\n"
      "  otss evaluate model.json test.csv --propensity propensity --decision decision --library "
      "library.csv --id id");
  command->callback([arguments, command] {
    check_usage(*command, *arguments);
    run(*arguments);
  });
}

}  // namespace otss::app
