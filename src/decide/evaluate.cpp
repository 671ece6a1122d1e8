#include "otss/decide/evaluate.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>

#include "data/terms/term_columns.hpp"
#include "decide/evaluated_rows.hpp"
#include "decide/truth_score.hpp"
#include "otss/base/error.hpp"
#include "otss/model/training_table.hpp"

namespace otss::internal {
namespace {

// Returns true if the table has every factor and the outcome. If a column is missing, returns false
// if `optional` is true, and otherwise throws an Error that names the column.
bool has_outcomes(const Fitted& fitted, const TableReader& reader, bool optional) {
  std::vector<std::string> needed = fitted.factor_names();
  needed.push_back(fitted.roles().outcome);
  for (const std::string& name : needed) {
    if (has_factor(reader.columns(), name)) continue;
    if (optional) return false;
    require_factor(reader.columns(), name,
                   "a factor or the outcome of the model, not needed with --truth", reader.name());
  }
  return true;
}

void require_candidates(const Fitted& fitted, const TableReader& reader,
                        const FeasibleSet* candidates) {
  const std::string& centered_by = fitted.roles().centered_by;
  if (centered_by.empty()) return;
  if (candidates == nullptr) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the model was fitted with --center-factors, so the factors of this table must "
                    "be centred too; give --candidates CAND, a table with the column '{}'",
                    centered_by));
  }
  reader.column(centered_by,
                "the context of a row, which is needed to centre the factors of the model");
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
    throw Error(ErrorCode::kInput,
                fmt::format("{}: there are {} rows of true weights, but {} contexts; give one row "
                            "of true weights per context, in the order of the contexts",
                            path, table.num_rows, rows));
  }
  std::vector<double> truth;
  for (std::size_t i = 0; i < rows; ++i) {
    for (const Column& column : table.columns) {
      if (!std::isfinite(column.numbers[i])) {
        throw Error(
            ErrorCode::kInput,
            fmt::format("{}: row {}: column '{}' is missing or not finite; give a finite number",
                        path, i + 1, column.name));
      }
      truth.push_back(column.numbers[i]);
    }
  }
  return truth;
}

TruthScore truth_score(const Fitted& fitted, const EvaluatedRows& rows,
                       const EvaluateOptions& options) {
  const std::vector<double> truth = read_truth(options.truth, fitted, rows.rows);
  if (options.feasible != nullptr)
    return score_against_truth(rows.weights, truth, *options.feasible);
  return {.weight_mse = weight_mse(rows.weights, truth, fitted.num_factors())};
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
  const Table table = read_table(reader, {{column, true}});
  std::map<std::string, std::size_t> ids;
  std::vector<std::size_t> segments;
  for (const std::string& text : table.columns.front().texts)
    segments.push_back(ids.try_emplace(text, ids.size()).first->second);
  return adjusted_rand_index(rows.largest_shares, segments);
}

std::vector<std::string> policy_warnings(const EvaluatedPolicy& policy, const Fitted& fitted,
                                         const TableReader& reader) {
  std::vector<std::string> warnings = overlap_warnings(policy.value);
  if (policy.in_sample) {
    warnings.emplace_back(
        "the model was fitted on these rows, so its decisions look better on them than on new "
        "rows");
  }
  const std::string& group = fitted.roles().group;
  if (!group.empty() && !reader.has_column(group)) {
    warnings.push_back(fmt::format(
        "{} has no column '{}', which held the groups when the model was fitted; so all rows are "
        "treated as independent",
        reader.name(), group));
  }
  return warnings;
}

EvaluatedPolicy evaluate_policy(const PolicyQuestion& question, const FeasibleSet* feasible,
                                const Fitted& fitted, TableReader& reader) {
  if (feasible == nullptr) {
    throw Error(ErrorCode::kUsage,
                "the value of a policy needs the decisions that the policy chooses from; give a "
                "library or candidates");
  }
  EvaluatedPolicy policy;
  policy.in_sample = is_training_table(fitted, reader, feasible);
  if (policy.in_sample && !question.in_sample) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("{}: the model was fitted on these rows, so its decisions look better on "
                    "them than on new rows; give rows that the model was not fitted on, or "
                    "add --in-sample to use these rows anyway",
                    reader.name()));
  }
  policy.value =
      policy_value(read_policy_log(reader, fitted, question.columns, *feasible), question.level);
  policy.warnings = policy_warnings(policy, fitted, reader);
  return policy;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

Evaluation evaluate(const Fitted& fitted, const TableSource& table,
                    const EvaluateOptions& options) {
  const bool has_truth = !options.truth.empty();
  if (has_truth) fitted.weight_map();  // throws an Error if the model has no weights
  TableReader reader(fitted.encoder().as_trained(table));
  fitted.encoder().require_columns(reader);
  const bool with_outcomes = has_outcomes(fitted, reader, has_truth || options.policy.has_value());
  if (with_outcomes || options.policy) require_candidates(fitted, reader, options.centered_by);
  Evaluation result;
  if (options.policy)
    result.policy = evaluate_policy(*options.policy, options.feasible, fitted, reader);
  const EvaluatedRows rows = read_evaluated_rows(fitted, reader, with_outcomes, options.centered_by,
                                                 options.unknown, options.outside);
  result.rows = rows.rows;
  result.unknown = rows.unknown;
  if (with_outcomes) {
    result.quality = prediction_quality({fitted.family(), fitted.baseline().noise}, rows.eta,
                                        rows.outcomes, rows.row_weights);
  }
  if (fitted.mixture() != nullptr) result.gate = rows.gate.result();
  if (!options.segments.empty())
    result.segment_agreement = segment_agreement(options.segments, fitted, reader, rows);
  if (has_truth) result.truth = truth_score(fitted, rows, options);
  return result;
}

}  // namespace otss
