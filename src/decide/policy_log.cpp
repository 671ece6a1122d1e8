#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "data/log/fingerprint.hpp"
#include "data/log/text_codes.hpp"
#include "data/table/chunk_cells.hpp"
#include "data/terms/term_columns.hpp"
#include "model/finite_predictor.hpp"
#include "model/units/unit_cells.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/decider.hpp"
#include "otss/decide/policy_value.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {
namespace {

// Finds the decision with a given id in the feasible set.
class LoggedIds {
 public:
  explicit LoggedIds(const FeasibleSet& feasible) : feasible_(feasible) {
    if (!feasible.is_shared()) return;  // a context has few candidates, so no index is needed
    for (std::size_t row = 0; row < feasible.size(); ++row) row_of_.emplace(feasible.id(row), row);
  }

  // Returns the row of the decision in the table of the feasible set, or nothing if no decision has
  // this id. `context` is used only if the feasible set has candidates per context.
  std::optional<std::size_t> find(std::string_view context, std::string_view id) const {
    if (feasible_.is_shared()) {
      const auto entry = row_of_.find(id);
      if (entry == row_of_.end()) return std::nullopt;
      return entry->second;
    }
    const auto rows = feasible_.of(context).rows();
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](std::size_t row) { return feasible_.id(row) == id; });
    if (found == rows.end()) return std::nullopt;
    return *found;
  }

 private:
  const FeasibleSet& feasible_;
  std::unordered_map<std::string_view, std::size_t> row_of_;
};

class PolicyLogReader {
 public:
  PolicyLogReader(const TableReader& reader, const Fitted& fitted, const PolicyColumns& columns,
                  const FeasibleSet& feasible)
      : reader_(reader),
        fitted_(fitted),
        family_(fitted.family()),
        feasible_(feasible),
        is_centered_(!fitted.roles().centered_by.empty()),
        decider_(fitted.scorer(), feasible, {.prune = columns.units.states == nullptr}),
        logged_ids_(feasible_),
        cells_(reader, requests_) {
    fitted.encoder().require_columns(reader);
    requests_ = fitted.encoder().context_requests();
    units_.emplace(columns.units, reader, requests_);
    outcome_ = request(fitted.roles().outcome, "the outcome of the model");
    propensity_ = request(columns.propensity, "--propensity");
    decision_ = request(columns.decision, "--decision", true);
    if (!feasible.is_shared()) context_id_ = request(feasible.context_id(), "--context-id", true);
    weight_ = request_if_there(fitted.roles().weight, false);
    group_ = columns.group.empty() ? request_if_there(fitted.roles().group, true)
                                   : request(columns.group, "--group", true);
    for (const std::string& name : fitted.factor_names())
      factors_.push_back(request_factor_if_there(name));
  }

  PolicyLog run(const EncodeOptions& options) {
    std::vector<double> x;
    read_with_terms(reader_, requests_, [&](const TableChunk& chunk) {
      x.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x, options);
      add(chunk, x);
    });
    return std::move(log_);
  }

  // For each row of the log, logged() has the row of the logged decision in the feasible set's
  // table, and chosen() has the row of the decision that the policy chooses.
  const std::vector<std::size_t>& logged() const { return logged_; }
  const std::vector<std::size_t>& chosen() const { return chosen_; }

 private:
  std::size_t request(const std::string& name, std::string_view role, bool as_text = false) {
    reader_.column(name, role);
    requests_.push_back({name, as_text});
    return requests_.size() - 1;
  }

  std::optional<std::size_t> request_if_there(const std::string& name, bool as_text) {
    if (name.empty() || !reader_.has_column(name)) return std::nullopt;
    return request(name, "", as_text);
  }

  std::optional<std::size_t> request_factor_if_there(const std::string& name) {
    if (!has_factor(reader_.columns(), name)) return std::nullopt;
    requests_.push_back({name});
    return requests_.size() - 1;
  }

  void add(const TableChunk& chunk, std::span<const double> x) {
    context_ids_.clear();
    for (std::size_t i = 0; context_id_ && i < chunk.num_rows; ++i)
      context_ids_.emplace_back(cells_.text(chunk, *context_id_, i));
    beliefs_ = units_->read(chunk, 0);
    const std::vector<Decision> best =
        decider_.decide({chunk.num_rows, x, context_ids_, beliefs_.of_rows()});
    const int p = fitted_.num_contexts();
    for (std::size_t i = 0; i < chunk.num_rows; ++i) {
      add_labels(chunk, i);
      const std::size_t logged = logged_decision(chunk, i);
      const auto context = x.subspan(i * p, p);
      log_.agrees.push_back(logged == best[i].index ? 1 : 0);
      log_.predicted_logged.push_back(predict(chunk, i, context, logged));
      log_.predicted_chosen.push_back(predict(chunk, i, context, best[i].index));
      logged_.push_back(logged);
      chosen_.push_back(best[i].index);
    }
  }

  void add_labels(const TableChunk& chunk, std::size_t i) {
    log_.outcomes.push_back(cells_.finite(chunk, outcome_, i));
    if (!family_.allows(log_.outcomes.back()))
      cells_.fail(chunk, outcome_, i,
                  fmt::format("must be {}; correct it, or leave the row out", family_.allowed()));
    const double propensity = cells_.finite(chunk, propensity_, i);
    if (!(propensity > 0 && propensity <= 1)) {
      cells_.fail(
          chunk, propensity_, i,
          fmt::format("is {}, but a propensity is the probability with which the logged decision "
                      "was chosen, above 0 and at most 1; correct the value, or leave the row out",
                      propensity));
    }
    log_.propensities.push_back(propensity);
    if (weight_) {
      log_.weights.push_back(cells_.finite(chunk, *weight_, i));
      if (log_.weights.back() < 0)
        cells_.fail(chunk, *weight_, i,
                    "must not be negative; correct the weight, or leave the row out");
    }
    if (group_) {
      const std::string_view group = cells_.text(chunk, *group_, i);
      log_.groups.push_back(groups_.code(group, hash_text(group)));
    }
  }

  std::size_t logged_decision(const TableChunk& chunk, std::size_t i) const {
    const std::string_view id = cells_.text(chunk, decision_, i);
    const std::optional<std::size_t> found = logged_ids_.find(context_of(i), id);
    if (!found) {
      cells_.fail(chunk, decision_, i,
                  fmt::format("is '{}', but {} do not include this id; add the decision there, or "
                              "leave the row out",
                              id, described(i)));
    }
    check_factors(chunk, i, *found);
    return *found;
  }

  // Throws an Error if the value of a factor in the log differs from its value in the feasible set.
  // Differences that come from rounding numbers in a file are allowed.
  void check_factors(const TableChunk& chunk, std::size_t i, std::size_t decision) const {
    constexpr double kTolerance = 1e-6;
    const auto listed = feasible_.factors_of(decision);
    for (std::size_t j = 0; j < factors_.size(); ++j) {
      if (!factors_[j]) continue;
      const double value = cells_.finite(chunk, *factors_[j], i);
      const double size =
          std::max({std::abs(value), std::abs(listed[j]), fitted_.encoder().factors[j].scale});
      if (std::abs(value - listed[j]) <= kTolerance * size) continue;
      cells_.fail(
          chunk, *factors_[j], i,
          fmt::format("is {0}, but {3} give decision '{1}' the value {2}; correct one of the "
                      "two values, or, if this factor differs between contexts, list the "
                      "decisions per context with --candidates",
                      value, feasible_.id(decision), listed[j], described(i)));
    }
  }

  double predict(const TableChunk& chunk, std::size_t i, std::span<const double> x,
                 std::size_t decision) {
    const auto row = feasible_.factors_of(decision);
    z_.assign(row.begin(), row.end());
    if (is_centered_) {
      const auto mean = feasible_.of(context_of(i)).mean_factors();
      for (std::size_t j = 0; j < z_.size(); ++j) z_[j] -= mean[j];
    }
    return family_.mean(
        finite_predictor(fitted_, x, z_, {reader_.name(), chunk.first_row + i}, beliefs_[i]));
  }

  // Returns the context id of row i of the chunk that is being read, or an empty text if the
  // feasible set is a library.
  std::string_view context_of(std::size_t i) const {
    return context_id_ ? std::string_view(context_ids_[i]) : std::string_view();
  }

  std::string described(std::size_t i) const {
    return context_id_ ? fmt::format("the candidates of context '{}'", context_of(i))
                       : "the decisions of --library";
  }

  const TableReader& reader_;
  const Fitted& fitted_;
  OutputFamily family_;
  const FeasibleSet& feasible_;
  bool is_centered_;  // true if the model's factors are centred
  Decider decider_;
  LoggedIds logged_ids_;
  std::vector<ColumnRequest> requests_;
  std::optional<UnitCells> units_;
  BeliefsOfRows beliefs_;  // what is known about the units of the chunk that is being read
  ChunkCells cells_;
  std::size_t outcome_ = 0, propensity_ = 0, decision_ = 0;
  std::optional<std::size_t> context_id_, weight_, group_;
  std::vector<std::optional<std::size_t>> factors_;
  // The context ids of the chunk that is being read. This list is empty if the feasible set is a
  // library.
  std::vector<std::string> context_ids_;
  TextCodes groups_;
  std::vector<double> z_;
  PolicyLog log_;
  std::vector<std::size_t> logged_, chosen_;
};

// Throws an Error if the model has centred factors and cannot be used with this feasible set.
// Predictions of such a model need the mean factors of each context's candidates. So `feasible`
// must have candidates, with the context id column that the model was fitted with. The model must
// also have weights, because a model without weights cannot choose among centred factors.
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

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options) {
  check_centering(fitted, feasible);
  PolicyLogReader rows(reader, fitted, columns, feasible);
  PolicyLog log = rows.run(options);
  if (!feasible.is_shared()) return log;
  std::vector<std::uint8_t> seen(feasible.size(), 0);
  for (const std::size_t decision : rows.logged()) seen[decision] = 1;
  for (const std::size_t decision : rows.chosen()) log.chosen_was_logged.push_back(seen[decision]);
  return log;
}

PolicyLog read_policy_log(const std::string& path, const Fitted& fitted,
                          const PolicyColumns& columns, const FeasibleSet& feasible,
                          const EncodeOptions& options) {
  return read_policy_log(TableReader(fitted.encoder().as_trained({.path = path})), fitted, columns,
                         feasible, options);
}

}  // namespace otss
