#include "otss/decide/evaluate.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "arguments.hpp"
#include "command.hpp"
#include "evaluate_policy.hpp"
#include "json.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

struct EvaluateArguments {
  std::string model;
  TableSource table;
  std::string truth, segments;
  FeasibleArguments feasible;
  PolicyArguments policy;
  NewValueArguments new_values;
  ReadingArguments reading;
  bool json = false;
};

// Opens a table of the command, to be read as the model's log was.
TableReader as_trained(const std::string& path, const EvaluateArguments& arguments,
                       const Fitted& fitted) {
  return TableReader(
      fitted.encoder().as_trained({.path = path, .rules = arguments.reading.rules()}));
}

// Reads the table of --candidates. The candidates have two uses: a model with centred factors needs
// their mean factors, and the estimate of a policy's value needs them as the decisions that the
// policy chooses from.
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

// Adds the measures of the model's output family to the result. A measure that is undefined is
// null.
void add_quality(OutputFamily family, const PredictionQuality& quality, Json& result) {
  result["log_loss"] = quality.log_loss;
  result["calibration_slope"] = quality.calibration_slope;
  switch (family.kind()) {
    case OutputFamily::kBernoulli:
      result["brier"] = quality.squared_error;
      result["auc"] = quality.auc;
      break;
    case OutputFamily::kGaussian:
      result["mse"] = quality.squared_error;
      result["r2"] = quality.explained;
      break;
    case OutputFamily::kPoisson:
      result["mse"] = quality.squared_error;
      result["deviance"] = quality.deviance;
      result["deviance_explained"] = quality.explained;
      break;
  }
}

// Adds the comparison with the true weights to the result. Without a library the regret cannot be
// computed and is NaN. In this case only weight_mse is added.
void add_truth(const TruthScore& score, Json& result) {
  result["weight_mse"] = score.weight_mse;
  if (std::isnan(score.regret)) return;
  result["weight_mse_scaled"] = score.weight_mse_scaled;
  result["regret"] = score.regret;
  result["match_rate"] = score.match_rate;
}

void add_gate_use(const GateUse& use, Json& result) {
  result["gate_entropy"] = use.entropy;
  result["effective_experts"] = use.effective_experts;
  result["effective_experts_overall"] = use.effective_experts_overall;
  result["expert_usage"] = use.usage;
}

void print(const Json& result) {
  // A list with more entries than this is not printed. A posterior mean has hundreds of experts, so
  // its list of shares would be too long.
  constexpr std::size_t kLongestList = 16;
  TextTable table({"", ""});
  for (const auto& [name, value] : result.items()) {
    if (value.is_array() && value.size() > kLongestList) continue;
    // A measure that is not defined for these rows is NaN, such as the auc of equal outcomes.
    const bool defined = !value.is_number_float() || std::isfinite(value.get<double>());
    if (value.is_number_float() && defined) {
      table.add({name, fmt::format("{:.5g}", value.get<double>())});
    } else {
      table.add({name, value.is_null() || !defined ? "undefined" : value.dump()});
    }
  }
  print_text("{}", table.str());
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
  Json result = {{"rows", evaluation.rows}};
  if (evaluation.quality) add_quality(family, *evaluation.quality, result);
  if (evaluation.gate) add_gate_use(*evaluation.gate, result);
  if (evaluation.segment_agreement) result["cluster_alignment"] = *evaluation.segment_agreement;
  if (evaluation.truth) add_truth(*evaluation.truth, result);
  return result;
}

void print_result(const EvaluateArguments& arguments, Json result,
                  const std::optional<EvaluatedPolicy>& policy) {
  if (arguments.json) {
    if (policy) result.update(policy_json(*policy));
    fmt::print("{}\n", result.dump());
  } else {
    print(result);
    if (policy) fmt::print("\n{}", policy_text(policy->value));
  }
  if (!policy) return;
  std::fflush(stdout);
  for (const std::string& warning : policy->warnings) warn("{}", warning);
}

void run(const EvaluateArguments& arguments) {
  const Fitted fitted = load_model(arguments.model);
  const std::optional<FeasibleSet> candidates = read_candidates_of(arguments, fitted);
  std::optional<FeasibleSet> library;
  if (!arguments.feasible.library.empty()) {
    library = read_library(as_trained(arguments.feasible.library, arguments, fitted),
                           arguments.feasible.id, fitted.factor_names());
  }
  EvaluateOptions options{.truth = arguments.truth, .segments = arguments.segments};
  if (arguments.policy.is_given()) options.policy = arguments.policy.question();
  if (candidates) options.centered_by = options.feasible = &*candidates;
  if (library) options.feasible = &*library;
  options.unknown = arguments.new_values.unknown_policy();
  options.outside = arguments.new_values.outside_policy();
  TableSource table = arguments.table;
  table.rules = arguments.reading.rules();
  const Evaluation evaluation = evaluate(fitted, table, options);
  warn_about(evaluation.unknown, fitted.encoder());
  print_result(arguments, to_json(evaluation, fitted.family()), evaluation.policy);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate",
                                         "Evaluate a model on a table: its predictions, gate and "
                                         "regret, and the value of its decisions");
  const auto arguments = std::make_shared<EvaluateArguments>();
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
          "decisions that are feasible in every context; needed for the regret and for the "
          "value of the decisions")
      ->type_name("LIB");
  command
      ->add_option(
          "--candidates", arguments->feasible.candidates,
          "decisions that are feasible in each context; needed for the value of the decisions, and "
          "for a model that was fitted with --center-factors")
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
