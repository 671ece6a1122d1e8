#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "arguments.hpp"
#include "command.hpp"
#include "evaluate_policy.hpp"
#include "evaluated_rows.hpp"
#include "json.hpp"
#include "lab/worlds/truth.hpp"
#include "otss/base/error.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/model_file.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

struct EvaluateArguments {
  std::string model;
  TableSource table;
  std::string truth, segments;
  FeasibleArguments feasible;
  PolicyArguments policy;
  std::string unknown = "warn";
  bool json = false;
};

// Every factor and the outcome, or an error that says which one is lacking.
bool has_outcomes(const Fitted& fitted, const TableReader& reader, bool optional) {
  std::vector<std::string> needed = fitted.factor_names();
  needed.push_back(fitted.roles().outcome);
  for (const std::string& name : needed) {
    if (reader.has_column(name)) continue;
    if (optional) return false;
    reader.column(name, "a factor or the outcome of the model (or give --truth)");
  }
  return true;
}

// How far the experts with the largest share agree with a segmentation the table has.
double cluster_alignment(const EvaluateArguments& arguments, const Fitted& fitted,
                         const TableReader& reader, const EvaluatedRows& rows) {
  if (fitted.mixture() == nullptr) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--segments: a {} model has no experts to compare with; leave it out",
                            word(fitted.method())));
  }
  reader.column(arguments.segments, "--segments");
  const Table table = read_table(reader, {{arguments.segments, true}});
  std::map<std::string, std::size_t> ids;
  std::vector<std::size_t> segments;
  for (const std::string& text : table.columns.front().texts)
    segments.push_back(ids.try_emplace(text, ids.size()).first->second);
  return adjusted_rand_index(rows.largest_shares, segments);
}

// What the model's factors are counted from, what a policy chooses from, or both.
std::optional<FeasibleSet> read_candidates_of(const EvaluateArguments& arguments,
                                              const Fitted& fitted, const TableReader& reader) {
  const std::string& centered_by = fitted.roles().centered_by;
  const FeasibleArguments& feasible = arguments.feasible;
  const bool given = !feasible.candidates.empty();
  const bool has_policy = arguments.policy.is_given();
  if (centered_by.empty() && given && !has_policy) {
    throw Error(ErrorCode::kUsage,
                "--candidates: the model's factors are not counted from candidates; leave it out");
  }
  if (!centered_by.empty() && !given) {
    throw Error(ErrorCode::kUsage, fmt::format("the model was fitted with --center-factors: give "
                                               "--candidates CAND with the column '{}' here too",
                                               centered_by));
  }
  if (!given) return std::nullopt;
  if (!centered_by.empty())
    reader.column(centered_by, "the context of a row, which the model's centred factors need");
  const std::string& context_id = feasible.context_id.empty() ? centered_by : feasible.context_id;
  if (context_id.empty()) {
    throw Error(
        ErrorCode::kUsage,
        "--candidates needs --context-id COL: the column of TABLE and CAND that links them");
  }
  return read_candidates(feasible.candidates, context_id, has_policy ? feasible.id : "",
                         fitted.factor_names());
}

std::vector<double> read_truth(const std::string& path, const Fitted& fitted, std::size_t rows) {
  const TableReader reader({path, ""});
  std::vector<ColumnRequest> requests;
  for (const std::string& factor : fitted.factor_names()) {
    reader.column("w_" + factor, "--truth");
    requests.push_back({"w_" + factor});
  }
  const Table table = read_table(reader, requests);
  if (table.num_rows != rows) {
    throw Error(
        ErrorCode::kInput,
        fmt::format("{}: {} rows of true weights for {} contexts; rows match by order, so the "
                    "counts must be equal",
                    path, table.num_rows, rows));
  }
  std::vector<double> truth;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const Column& column : table.columns) {
      if (!std::isfinite(column.numbers[i])) {
        throw Error(ErrorCode::kInput,
                    fmt::format("{}: row {}: column '{}' is missing or not finite", path, i + 1,
                                column.name));
      }
      truth.push_back(column.numbers[i]);
    }
  }
  return truth;
}

// What makes sense for the family; null where it is not defined.
void add_quality(const Fitted& fitted, const EvaluatedRows& rows, Json& result) {
  const OutputFamily family = fitted.family();
  const PredictionQuality quality = prediction_quality({family, fitted.baseline().noise}, rows.eta,
                                                       rows.outcomes, rows.row_weights);
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

void add_truth(const std::string& path, const Fitted& fitted, const EvaluatedRows& rows,
               const std::optional<FeasibleSet>& library, Json& result) {
  const std::vector<double> truth = read_truth(path, fitted, rows.rows);
  if (!library) {
    result["weight_mse"] = weight_mse(rows.weights, truth, fitted.num_factors());
    return;
  }
  const TruthScore score = score_against_truth(rows.weights, truth, *library);
  result["weight_mse"] = score.weight_mse;
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
  constexpr std::size_t kLongestList =
      16;  // the usage of a posterior mean's hundreds of experts says little
  TextTable table({"", ""});
  for (const auto& [name, value] : result.items()) {
    if (value.is_array() && value.size() > kLongestList) continue;
    if (value.is_number_float()) {
      table.add({name, fmt::format("{:.5g}", value.get<double>())});
    } else {
      table.add({name, value.is_null() ? "undefined" : value.dump()});
    }
  }
  fmt::print("{}", table.str());
}

void check_usage(const CLI::App& command, const EvaluateArguments& arguments) {
  arguments.policy.check_usage(command, arguments.feasible);
  const FeasibleArguments& feasible = arguments.feasible;
  if (arguments.policy.is_given()) return;
  if (!feasible.library.empty() && (arguments.truth.empty() || feasible.id.empty())) {
    throw Error(ErrorCode::kUsage,
                "--library needs --id COL, and --truth W (regret is against true weights) or "
                "--propensity COL (value of the model's decisions)");
  }
  if (!feasible.id.empty() && feasible.library.empty())
    throw Error(ErrorCode::kUsage, "--id is the library's: give --library LIB, or leave it out");
}

void print_result(const EvaluateArguments& arguments, Json result,
                  const std::optional<EvaluatedPolicy>& policy) {
  if (arguments.json) {
    if (policy) result.update(policy->json());
    fmt::print("{}\n", result.dump());
  } else {
    print(result);
    if (policy) fmt::print("\n{}", policy->text());
  }
  if (!policy) return;
  std::fflush(stdout);
  for (const std::string& warning : policy->warnings)
    fmt::print(stderr, "otss: warning: {}\n", warning);
}

void run(const EvaluateArguments& arguments) {
  const Fitted fitted = load_model(arguments.model);
  if (!arguments.truth.empty()) fitted.weight_map();  // true weights need weights to compare
  TableReader reader(fitted.encoder().as_trained(arguments.table));
  for (const ContextColumn& column : fitted.encoder().contexts)
    reader.column(column.name, "a context of the model");
  const bool has_policy = arguments.policy.is_given();
  const bool with_outcomes = has_outcomes(fitted, reader, !arguments.truth.empty() || has_policy);
  std::optional<FeasibleSet> candidates, library;
  if (with_outcomes || has_policy) candidates = read_candidates_of(arguments, fitted, reader);
  if (!arguments.feasible.library.empty()) {
    library =
        read_library(arguments.feasible.library, arguments.feasible.id, fitted.factor_names());
  }
  std::optional<EvaluatedPolicy> policy;
  if (has_policy)
    policy = evaluate_policy(arguments.policy, library ? *library : *candidates, fitted, reader);
  const EvaluatedRows rows = read_evaluated_rows(
      fitted, reader, with_outcomes, candidates ? &*candidates : nullptr,
      arguments.unknown == "error" ? UnknownPolicy::kError : UnknownPolicy::kCount);
  Json result = {{"rows", rows.rows}};
  if (with_outcomes) add_quality(fitted, rows, result);
  if (fitted.mixture() != nullptr) add_gate_use(rows.gate.result(), result);
  if (!arguments.segments.empty())
    result["cluster_alignment"] = cluster_alignment(arguments, fitted, reader, rows);
  if (!arguments.truth.empty()) add_truth(arguments.truth, fitted, rows, library, result);
  warn_about(rows.unknown);
  print_result(arguments, std::move(result), policy);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "evaluate",
      "How good a model is on a table: predictions, gate, known truth, value of its decisions");
  const auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  add_table(*command, arguments->table, "TABLE",
            "contexts, with factors and outcome where predictions are judged");
  command
      ->add_option("--truth", arguments->truth, "true weights w_<factor>, a row per row of TABLE")
      ->type_name("W");
  command
      ->add_option("--library", arguments->feasible.library,
                   "decisions to choose from, for regret and value")
      ->type_name("LIB");
  command
      ->add_option("--candidates", arguments->feasible.candidates,
                   "decisions listed per context: to choose from, or what factors are centred by")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->feasible.context_id,
                   "the column of TABLE and CAND that links them")
      ->type_name("COL");
  command
      ->add_option("--segments", arguments->segments,
                   "a segmentation to compare the experts with: adjusted Rand index")
      ->type_name("COL");
  command->add_option("--id", arguments->feasible.id, "the decisions' id column")->type_name("COL");
  arguments->policy.add(*command);
  command
      ->add_option("--unknown", arguments->unknown,
                   "levels or missing values never seen: count them, or refuse")
      ->check(CLI::IsMember({"warn", "error"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "as JSON");
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
