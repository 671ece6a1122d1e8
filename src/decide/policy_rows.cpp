#include "decide/policy_rows.hpp"

#include <fmt/core.h>

#include "data/log/fingerprint.hpp"
#include "model/finite_predictor.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

void check_centering(const Fitted& fitted, const FeasibleSet& feasible) {
  const std::string& centered_by = fitted.roles().centered_by;
  if (centered_by.empty()) return;
  if (feasible.context_id() != centered_by) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the model was fitted with --center-factors, so its factors are centred "
                    "over the candidates of each '{0}'; give --candidates CAND "
                    "--context-id {0}",
                    centered_by));
  }
  if (!fitted.has_weights()) {
    throw Error(ErrorCode::kInput,
                fmt::format("a {} model with centred factors cannot choose decisions; fit it again "
                            "without --center-factors, or fit a model with another --method",
                            word(fitted.method())));
  }
}

void require_out_of_sample(const TableReader& reader, bool in_sample, bool is_allowed) {
  if (!in_sample || is_allowed) return;
  throw Error(ErrorCode::kUsage,
              fmt::format("{}: the model was fitted on these rows, so its decisions look better on "
                          "them than on new rows; give rows that the model was not fitted on, or "
                          "add --in-sample to use these rows anyway",
                          reader.name()));
}

std::string policy_group(const Fitted& fitted, const TableReader& reader,
                         const std::string& group) {
  if (!group.empty()) return reader.column(group, "--group").name;
  const std::string& of_fit = fitted.roles().group;
  return reader.has_column(of_fit) ? of_fit : "";
}

std::vector<std::string> policy_warnings(const EvaluatedPolicy& policy, const Fitted& fitted,
                                         const TableReader& reader, const PolicyColumns& columns) {
  std::vector<std::string> warnings = overlap_warnings(policy.value);
  if (policy.in_sample) {
    warnings.emplace_back(
        "the model was fitted on these rows, so its decisions look better on them than on new "
        "rows");
  }
  const std::string& group = fitted.roles().group;
  if (columns.group.empty() && !group.empty() && !reader.has_column(group)) {
    warnings.push_back(fmt::format(
        "{} has no column '{}', which held the groups when the model was fitted; so all rows are "
        "treated as independent; if another column has the groups, name it with --group",
        reader.name(), group));
  }
  return warnings;
}

PolicyRows::PolicyRows(const TableReader& reader, const Fitted& fitted,
                       const std::string& propensity, const std::string& group,
                       const FeasibleSet& feasible)
    : reader_(reader),
      fitted_(fitted),
      family_(fitted.family()),
      feasible_(feasible),
      is_centered_(!fitted.roles().centered_by.empty()),
      cells_(reader, requests_) {
  outcome_ = request(fitted.roles().outcome, "the outcome of the model");
  propensity_ = request(propensity, "--propensity");
  const std::string& weight = fitted.roles().weight;
  if (!weight.empty() && reader.has_column(weight)) weight_ = request(weight, "");
  if (!group.empty()) group_ = request(group, "--group", true);
}

std::size_t PolicyRows::request(const std::string& name, const char* role, bool as_text) {
  requests_.push_back({reader_.column(name, role).name, as_text});
  return requests_.size() - 1;
}

void PolicyRows::add(const TableChunk& chunk, std::span<const double> x, const DecidedRows& decided,
                     PolicyLog& log) {
  const int p = fitted_.num_contexts();
  for (std::size_t i = 0; i < chunk.num_rows; ++i) {
    add_labels(chunk, i, log);
    const std::size_t logged = decided.logged[i];
    const std::size_t chosen = decided.best[i].index;
    const auto context = x.subspan(i * p, p);
    const std::size_t row = chunk.first_row + i;
    log.agrees.push_back(logged == chosen ? 1 : 0);
    log.predicted_logged.push_back(predict(row, i, context, decided, logged));
    log.predicted_chosen.push_back(predict(row, i, context, decided, chosen));
  }
}

void PolicyRows::add_labels(const TableChunk& chunk, std::size_t row, PolicyLog& log) {
  log.outcomes.push_back(cells_.finite(chunk, outcome_, row));
  if (!family_.allows(log.outcomes.back()))
    cells_.fail(chunk, outcome_, row,
                fmt::format("must be {}; correct it, or leave the row out", family_.allowed()));
  const double propensity = cells_.finite(chunk, propensity_, row);
  if (!(propensity > 0 && propensity <= 1)) {
    cells_.fail(
        chunk, propensity_, row,
        fmt::format("is {}, but a propensity is the probability with which the logged decision "
                    "was chosen, above 0 and at most 1; correct the value, or leave the row out",
                    propensity));
  }
  log.propensities.push_back(propensity);
  if (weight_) {
    log.weights.push_back(cells_.finite(chunk, *weight_, row));
    if (log.weights.back() < 0)
      cells_.fail(chunk, *weight_, row,
                  "must not be negative; correct the weight, or leave the row out");
  }
  if (group_) {
    const std::string_view group = cells_.text(chunk, *group_, row);
    log.groups.push_back(groups_.code(group, hash_text(group)));
  }
}

double PolicyRows::predict(std::size_t row_of_table, std::size_t row, std::span<const double> x,
                           const DecidedRows& decided, std::size_t decision) {
  const auto factors = feasible_.factors_of(decision);
  z_.assign(factors.begin(), factors.end());
  if (is_centered_) {
    const auto mean = feasible_.of(decided.context_of(row)).mean_factors();
    for (std::size_t j = 0; j < z_.size(); ++j) z_[j] -= mean[j];
  }
  return family_.mean(
      finite_predictor(fitted_, x, z_, {reader_.name(), row_of_table}, decided.beliefs[row]));
}

}  // namespace otss::internal
