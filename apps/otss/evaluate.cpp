#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "arguments.hpp"
#include "base/json.hpp"
#include "command.hpp"
#include "lab/truth.hpp"
#include "otss/base/error.hpp"
#include "otss/data/factor_centers.hpp"
#include "otss/decide/library.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/model_file.hpp"
#include "text_table.hpp"

namespace otss::app {
namespace {

struct EvaluateArguments {
  std::string model;
  TableSource table;
  std::string truth, library, id, candidates, segments;
  std::string unknown = "warn";
  bool json = false;
};

// What one pass over the table collects.
struct Collected {
  std::vector<double> eta, outcomes, row_weights;  // with factors and outcome
  std::vector<double> weights;                     // rows × J
  GateUseCounter gate;
  std::vector<std::size_t> largest_shares;  // the expert that has it, per row
  UnknownCounts unknown;
  std::size_t rows = 0;
};

class Collector {
 public:
  Collector(const Fitted& fitted, const TableReader& reader, bool with_outcomes,
            const FactorCenters* centers)
      : fitted_(fitted),
        family_(OutputFamily::parse(fitted.family())),
        reader_(reader),
        with_outcomes_(with_outcomes),
        centers_(centers) {
    requests_ = fitted.encoder().context_requests();
    first_factor_ = requests_.size();
    if (!with_outcomes) return;
    for (const std::string& name : fitted.factor_names()) requests_.push_back({name});
    requests_.push_back({fitted.roles().outcome});
    weighted_ = !fitted.roles().weight.empty() && reader.has_column(fitted.roles().weight);
    if (weighted_) requests_.push_back({fitted.roles().weight});
    if (centers != nullptr) requests_.push_back({centers->context_id(), true});
  }

  Collected run(UnknownPolicy policy) {
    const EncodeOptions options{policy, reader_.name(), &out_.unknown};
    std::vector<double> x;
    reader_.read(requests_, [&](const TableChunk& chunk) {
      x.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x, options);
      add(chunk, x);
    });
    return std::move(out_);
  }

 private:
  void add(const TableChunk& chunk, std::span<const double> x) {
    const int p = fitted_.num_contexts();
    const int num_factors = fitted_.num_factors();
    const SoftMixture* mixture = fitted_.mixture();
    if (fitted_.has_weights()) {
      const std::size_t before = out_.weights.size();
      out_.weights.resize(before + chunk.num_rows * num_factors);
      fitted_.weight_map().weights(chunk.num_rows, x, std::span(out_.weights).subspan(before));
    }
    std::vector<double> alpha(mixture != nullptr ? mixture->num_experts() : 0);
    std::vector<double> z(num_factors);
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      const auto context = x.subspan(i * p, p);
      if (mixture != nullptr) {
        mixture->gate().shares(context, alpha);
        out_.gate.add(alpha);
        out_.largest_shares.push_back(std::ranges::max_element(alpha) - alpha.begin());
      }
      if (!with_outcomes_) continue;
      for (int j = 0; j < num_factors; ++j) z[j] = finite(chunk, first_factor_ + j, i);
      if (centers_ != nullptr) {
        const auto middle = centers_->of(chunk.columns.back().texts[i]);
        for (int j = 0; j < num_factors; ++j) z[j] -= middle[j];
      }
      const double outcome = finite(chunk, first_factor_ + num_factors, i);
      if (!family_.allows(outcome))
        fail(chunk, first_factor_ + num_factors, i, fmt::format("must be {}", family_.allowed()));
      out_.eta.push_back(fitted_.predictor(context, z));
      if (!std::isfinite(out_.eta.back())) {
        throw Error(
            ErrorCode::kInput,
            fmt::format("{}: row {}: the model's prediction is not finite; are the columns in "
                        "the units of the log it was fitted on?",
                        reader_.name(), chunk.first_row + i + 1));
      }
      out_.outcomes.push_back(outcome);
      if (weighted_) {
        const double weight = finite(chunk, first_factor_ + num_factors + 1, i);
        if (weight < 0) fail(chunk, first_factor_ + num_factors + 1, i, "must not be negative");
        out_.row_weights.push_back(weight);
      }
    }
    out_.rows += chunk.num_rows;
  }

  double finite(const TableChunk& chunk, std::size_t column, std::size_t i) const {
    const double value = chunk.columns[column].numbers[i];
    if (!std::isfinite(value))
      fail(chunk, column, i, "is missing or not finite; leave the row out");
    return value;
  }

  [[noreturn]] void fail(const TableChunk& chunk, std::size_t column, std::size_t i,
                         const std::string& problem) const {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: row {}: column '{}' {}", reader_.name(), chunk.first_row + i + 1,
                            requests_[column].name, problem));
  }

  const Fitted& fitted_;
  OutputFamily family_;
  const TableReader& reader_;
  bool with_outcomes_;
  const FactorCenters* centers_;  // null: factors are as they stand
  bool weighted_ = false;
  std::vector<ColumnRequest> requests_;
  std::size_t first_factor_ = 0;
  Collected out_;
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
                         const TableReader& reader, const Collected& collected) {
  if (fitted.mixture() == nullptr) {
    throw Error(ErrorCode::kUsage,
                fmt::format("--segments: a {} model has no experts to compare with; leave it out",
                            fitted.method()));
  }
  reader.column(arguments.segments, "--segments");
  const Table table = read_table(reader, {{arguments.segments, true}});
  std::map<std::string, std::size_t> ids;
  std::vector<std::size_t> segments;
  for (const std::string& text : table.columns.front().texts)
    segments.push_back(ids.try_emplace(text, ids.size()).first->second);
  return adjusted_rand_index(collected.largest_shares, segments);
}

// Of a model whose factors are counted from the mean of each context's candidates.
std::optional<FactorCenters> read_centers(const EvaluateArguments& arguments, const Fitted& fitted,
                                          const TableReader& reader) {
  const std::string& id = fitted.roles().centered_by;
  if (id.empty() != arguments.candidates.empty()) {
    throw Error(ErrorCode::kUsage,
                id.empty() ? "--candidates: the model's factors are not counted from candidates; "
                             "leave it out"
                           : fmt::format("the model was fitted with --center-factors: give "
                                         "--candidates CAND with the column '{}' here too",
                                         id));
  }
  if (id.empty()) return std::nullopt;
  reader.column(id, "the context of a row, which the model's centred factors need");
  return FactorCenters::of_candidates(TableReader({arguments.candidates, ""}), id,
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
void add_quality(const Fitted& fitted, const Collected& collected, Json& result) {
  const OutputFamily family = OutputFamily::parse(fitted.family());
  const PredictionQuality quality = prediction_quality(
      {family, fitted.baseline().noise}, collected.eta, collected.outcomes, collected.row_weights);
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

void add_truth(const EvaluateArguments& arguments, const Fitted& fitted, const Collected& collected,
               Json& result) {
  const std::vector<double> truth = read_truth(arguments.truth, fitted, collected.rows);
  if (arguments.library.empty()) {
    result["weight_mse"] = weight_mse(collected.weights, truth, fitted.num_factors());
    return;
  }
  const Library library =
      read_library(TableReader({arguments.library, ""}), arguments.id, fitted.factor_names());
  const TruthScore score =
      score_against_truth(collected.weights, truth, library.factors, fitted.num_factors());
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

void run(const EvaluateArguments& arguments) {
  if (!arguments.library.empty() && (arguments.truth.empty() || arguments.id.empty())) {
    throw Error(ErrorCode::kUsage,
                "--library needs --truth W (regret is against true weights) and --id COL");
  }
  const Fitted fitted = load_model(arguments.model);
  if (!arguments.truth.empty()) fitted.weight_map();  // true weights need weights to compare
  const TableReader reader(arguments.table);
  for (const ContextColumn& column : fitted.encoder().contexts)
    reader.column(column.name, "a context of the model");
  const bool with_outcomes = has_outcomes(fitted, reader, !arguments.truth.empty());
  const auto centers =
      with_outcomes ? read_centers(arguments, fitted, reader) : std::optional<FactorCenters>();
  const Collected collected =
      Collector(fitted, reader, with_outcomes, centers ? &*centers : nullptr)
          .run(arguments.unknown == "error" ? UnknownPolicy::kError : UnknownPolicy::kCount);
  Json result = {{"rows", collected.rows}};
  if (with_outcomes) add_quality(fitted, collected, result);
  if (fitted.mixture() != nullptr) add_gate_use(collected.gate.result(), result);
  if (!arguments.segments.empty())
    result["cluster_alignment"] = cluster_alignment(arguments, fitted, reader, collected);
  if (!arguments.truth.empty()) add_truth(arguments, fitted, collected, result);
  warn_about(collected.unknown);
  if (arguments.json) {
    fmt::print("{}\n", result.dump());
  } else {
    print(result);
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "How good a model is on a table: predictions, gate, known truth");
  const auto arguments = std::make_shared<EvaluateArguments>();
  command->add_option("MODEL", arguments->model, "a model file")->required();
  add_table(*command, arguments->table, "TABLE",
            "contexts, with factors and outcome where predictions are judged");
  command
      ->add_option("--truth", arguments->truth, "true weights w_<factor>, a row per row of TABLE")
      ->type_name("W");
  command->add_option("--library", arguments->library, "decisions to choose from, for the regret")
      ->type_name("LIB");
  command
      ->add_option("--candidates", arguments->candidates,
                   "for a model fitted with --center-factors: what was feasible, per context")
      ->type_name("CAND");
  command
      ->add_option("--segments", arguments->segments,
                   "a segmentation to compare the experts with: adjusted Rand index")
      ->type_name("COL");
  command->add_option("--id", arguments->id, "the library's id column")->type_name("COL");
  command
      ->add_option("--unknown", arguments->unknown,
                   "levels or missing values never seen: count them, or refuse")
      ->check(CLI::IsMember({"warn", "error"}))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "as JSON");
  command->footer(
      "Examples:\n"
      "  otss evaluate model.json test.csv\n"
      "  otss evaluate model.json test.csv --truth truth.csv --library library.csv --id id --json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace otss::app
