#include "otss/decide/evaluate.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "base/clustered_interval.hpp"
#include "decide/collected_rows.hpp"
#include "decide/evaluated_rows.hpp"
#include "decide/policy_rows.hpp"
#include "decide/truth_score.hpp"
#include "model/factor_cells.hpp"
#include "model/uncertainty/confidence.hpp"
#include "otss/base/error.hpp"
#include "otss/base/ranks.hpp"
#include "otss/model/training_table.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

std::vector<double> read_truth(const TableSource& source, const Fitted& fitted, std::size_t rows) {
  const TableReader reader(source);
  std::vector<ColumnRequest> requests;
  for (const std::string& factor : fitted.factor_names()) {
    reader.column("w_" + factor, "--truth");
    requests.push_back({"w_" + factor});
  }
  const Table table = read_table(reader, requests);
  if (table.num_rows != rows) {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: there are {} rows of true weights, but {} contexts; give one row "
                            "of true weights per context, in the order of the contexts",
                            reader.name(), table.num_rows, rows));
  }
  std::vector<double> truth;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const Column& column : table.columns) {
      if (!std::isfinite(column.numbers[i])) {
        throw Error(
            ErrorCode::kInput,
            fmt::format("{}: row {}: column '{}' is missing or not finite; give a finite number",
                        reader.name(), i + 1, column.name));
      }
      truth.push_back(column.numbers[i]);
    }
  }
  return truth;
}

// Adds the comparison with the true weights, and its intervals.
void add_truth(const Fitted& fitted, const EvaluatedRows& rows, const EvaluateOptions& options,
               Evaluation& result) {
  const std::vector<double> truth = read_truth(options.truth.value(), fitted, rows.rows);
  const TruthRows each =
      rows_against_truth(rows.weights, truth, fitted.num_factors(), options.feasible);
  const auto bounds = [&](const std::vector<double>& values) {
    if (values.empty()) return Bounds{TruthScore::kNone, TruthScore::kNone};
    return clustered_mean_interval(values, rows.groups, options.level);
  };
  result.truth_intervals = {bounds(each.weight_mse), bounds(each.weight_mse_scaled),
                            bounds(each.regret), bounds(each.match_rate)};
  result.truth = truth_score(each);
}

double segment_agreement(const std::string& column, const Fitted& fitted, const TableReader& reader,
                         const EvaluatedRows& rows) {
  if (fitted.mixture() == nullptr) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("--segments: a {} model has no experts to compare; leave out --segments",
                    word(fitted.method())));
  }
  reader.column(column, "--segments");
  std::map<std::string, std::size_t> ids;
  std::vector<std::size_t> segments;
  reader.read({{column, true}}, [&](const TableChunk& chunk) {
    for (const std::string_view text : chunk.columns.front().texts)
      segments.push_back(ids.try_emplace(std::string(text), ids.size()).first->second);
  });
  return adjusted_rand_index(rows.largest_shares, segments);
}

EvaluatedPolicy evaluate_policy(const PolicyQuestion& question, const FeasibleSet* feasible,
                                const Fitted& fitted, TableReader& reader) {
  if (feasible == nullptr) {
    throw Error(ErrorCode::kUsage,
                "the value of a policy needs the decisions that the policy chooses from; give "
                "--library LIB or --candidates CAND");
  }
  EvaluatedPolicy policy;
  policy.in_sample = is_training_table(fitted, reader, feasible);
  require_out_of_sample(reader, policy.in_sample, question.in_sample);
  policy.value =
      policy_value(read_policy_log(reader, fitted, question.columns, *feasible), question.level);
  policy.warnings = policy_warnings(policy, fitted, reader, question.columns);
  return policy;
}

// Returns true if the model was fitted on this table. The table is read again only if it has as
// many rows as the log of the fit.
bool was_fitted_on(const Fitted& fitted, TableReader& reader, const Evaluation& evaluation,
                   const EvaluateOptions& options) {
  if (evaluation.policy) return evaluation.policy->in_sample;
  const auto& data = fitted.report().data;
  if (!data || data->rows != evaluation.rows) return false;
  return is_training_table(fitted, reader, options.centered_by);
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options) {
  const bool has_truth = options.truth.has_value();
  if (has_truth) fitted.weight_map();  // throws an Error if the model has no weights
  TableReader reader(fitted.encoder().as_trained(table));
  fitted.encoder().require_columns(reader);
  const bool with_outcomes = has_outcomes(fitted, reader, has_truth || options.policy.has_value());
  if (with_outcomes || options.policy) require_candidates(fitted, reader, options.centered_by);
  require_confidence(options.level);
  if (options.ranks != nullptr && options.policy)
    throw Error(ErrorCode::kUsage,
                "--propensity cannot be used with several ranks; use otss evaluate");
  require_new_rows(options.units, table, options.centered_by);
  Evaluation result;
  if (options.policy) {
    PolicyQuestion question = *options.policy;
    question.columns.group = options.group;
    question.columns.units = options.units;
    result.policy = evaluate_policy(question, options.feasible, fitted, reader);
  }
  result.group = policy_group(fitted, reader, options.group);
  if (options.ranks != nullptr) reader.share(*options.ranks);
  EvaluatedRows rows = read_evaluated_rows(fitted, reader, with_outcomes, result.group, options);
  if (options.ranks != nullptr) {
    collect_rows(*options.ranks, rows);
    if (options.ranks->rank() > 0) return {};
    reader.read_only({});
  }
  result.rows = rows.rows;
  result.unknown = rows.unknown;
  result.level = options.level;
  result.num_units = num_units(rows.groups, rows.rows);
  if (with_outcomes) {
    const PredictedFamily predicted{fitted.family(), fitted.baseline().noise, rows.log_losses};
    result.quality = prediction_quality(predicted, rows.eta, rows.outcomes, rows.row_weights);
    result.quality_intervals = quality_intervals(predicted, rows.eta, rows.outcomes,
                                                 rows.row_weights, rows.groups, options.level);
    result.in_sample = was_fitted_on(fitted, reader, result, options);
  }
  if (fitted.mixture() != nullptr) result.gate = rows.gate.result();
  if (!options.segments.empty())
    result.segment_agreement = segment_agreement(options.segments, fitted, reader, rows);
  if (has_truth) add_truth(fitted, rows, options, result);
  return result;
}

}  // namespace otss
