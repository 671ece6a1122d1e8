#include "otss/decide/policy_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "data/log/fingerprint.hpp"
#include "data/log/text_codes.hpp"
#include "data/table/chunk_cells.hpp"
#include "model/finite_predictor.hpp"
#include "otss/base/error.hpp"
#include "otss/decide/decider.hpp"
#include "otss/model/output_family.hpp"

namespace otss {
namespace {

// Rows of a chunk as a policy sees them; context ids only where decisions differ per context.
struct PolicyChunk {
  std::size_t num_rows = 0;
  std::span<const double> x;
  std::vector<std::string> context_ids;
};

// What a policy may choose from, by row of one table of decisions.
class Feasible {
 public:
  virtual ~Feasible() = default;
  virtual const Library& table() const = 0;
  virtual std::vector<Decision> decide(const PolicyChunk& chunk) = 0;
  // The decision of that id in a row of the chunk last decided for.
  virtual std::optional<std::size_t> find(std::size_t row, std::string_view id) const = 0;
  virtual std::string described(std::size_t row) const = 0;
};

class SharedDecisions : public Feasible {
 public:
  SharedDecisions(const Scorer& scorer, const Library& library) : decider_(scorer, library) {
    for (std::size_t i = 0; i < library.size(); ++i) index_of_.emplace(table().ids[i], i);
  }
  const Library& table() const override { return decider_.library(); }
  std::vector<Decision> decide(const PolicyChunk& chunk) override {
    return decider_.decide(chunk.num_rows, chunk.x);
  }
  std::optional<std::size_t> find(std::size_t, std::string_view id) const override {
    const auto entry = index_of_.find(id);
    if (entry == index_of_.end()) return std::nullopt;
    return entry->second;
  }
  std::string described(std::size_t) const override { return "the decisions of --library"; }

 private:
  Decider decider_;
  std::unordered_map<std::string_view, std::size_t> index_of_;
};

class ListedDecisions : public Feasible {
 public:
  ListedDecisions(const Scorer& scorer, Candidates& candidates)
      : scorer_(scorer), candidates_(candidates) {}
  const Library& table() const override { return candidates_.rows(); }
  std::vector<Decision> decide(const PolicyChunk& chunk) override {
    context_ids_ = chunk.context_ids;
    sets_ = candidates_.link(context_ids_);
    return otss::decide(scorer_, chunk.num_rows, chunk.x, candidates_, sets_);
  }
  std::optional<std::size_t> find(std::size_t row, std::string_view id) const override {
    const auto set = candidates_.set(sets_[row]);
    const auto found = std::find_if(set.begin(), set.end(),
                                    [&](std::size_t index) { return table().ids[index] == id; });
    if (found == set.end()) return std::nullopt;
    return *found;
  }
  std::string described(std::size_t row) const override {
    return fmt::format("the candidates of context '{}'", context_ids_[row]);
  }

 private:
  const Scorer& scorer_;
  Candidates& candidates_;
  std::vector<std::string> context_ids_;
  std::vector<std::size_t> sets_;
};

class PolicyLogReader {
 public:
  PolicyLogReader(const TableReader& reader, const Fitted& fitted, const PolicyColumns& columns,
                  Feasible& feasible, const FactorCenters* centers)
      : reader_(reader),
        fitted_(fitted),
        family_(fitted.family()),
        feasible_(feasible),
        centers_(centers),
        cells_(reader, requests_) {
    for (const ContextColumn& column : fitted.encoder().contexts)
      reader.column(column.name, "a context of the model");
    requests_ = fitted.encoder().context_requests();
    outcome_ = request(fitted.roles().outcome, "the outcome of the model");
    propensity_ = request(columns.propensity, "--propensity");
    decision_ = request(columns.decision, "--decision", true);
    if (!columns.context_id.empty())
      context_id_ = request(columns.context_id, "--context-id", true);
    weight_ = request_if_there(fitted.roles().weight, false);
    group_ = request_if_there(fitted.roles().group, true);
    for (const std::string& name : fitted.factor_names())
      factors_.push_back(request_if_there(name, false));
  }

  PolicyLog run(const EncodeOptions& options) {
    std::vector<double> x;
    reader_.read(requests_, [&](const TableChunk& chunk) {
      x.resize(chunk.num_rows * fitted_.num_contexts());
      fitted_.encoder().encode(chunk, x, options);
      add(chunk, x);
    });
    return std::move(log_);
  }

  // Per row, in the table of decisions.
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

  void add(const TableChunk& chunk, std::span<const double> x) {
    PolicyChunk rows{chunk.num_rows, x, {}};
    for (std::size_t i = 0; context_id_ && i < chunk.num_rows; ++i)
      rows.context_ids.emplace_back(cells_.text(chunk, *context_id_, i));
    const std::vector<Decision> best = feasible_.decide(rows);
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
      cells_.fail(chunk, outcome_, i, fmt::format("must be {}", family_.allowed()));
    const double propensity = cells_.finite(chunk, propensity_, i);
    if (!(propensity > 0 && propensity <= 1)) {
      cells_.fail(chunk, propensity_, i,
                  fmt::format("is {}, not above 0 and at most 1: it is the probability with which "
                              "the logged decision was chosen; mend it, or leave the row out",
                              propensity));
    }
    log_.propensities.push_back(propensity);
    if (weight_) {
      log_.weights.push_back(cells_.finite(chunk, *weight_, i));
      if (log_.weights.back() < 0) cells_.fail(chunk, *weight_, i, "must not be negative");
    }
    if (group_) {
      const std::string_view group = cells_.text(chunk, *group_, i);
      log_.groups.push_back(groups_.code(group, hash_text(group)));
    }
  }

  std::size_t logged_decision(const TableChunk& chunk, std::size_t i) const {
    const std::string_view id = cells_.text(chunk, decision_, i);
    const std::optional<std::size_t> found = feasible_.find(i, id);
    if (!found) {
      cells_.fail(chunk, decision_, i,
                  fmt::format("is '{}', which is not among {}; add it there, or leave the row out",
                              id, feasible_.described(i)));
    }
    check_factors(chunk, i, *found);
    return *found;
  }

  // Beyond what digits lost on the way into a file can explain.
  void check_factors(const TableChunk& chunk, std::size_t i, std::size_t decision) const {
    constexpr double kTolerance = 1e-6;
    const auto listed = feasible_.table().row(decision);
    for (std::size_t j = 0; j < factors_.size(); ++j) {
      if (!factors_[j]) continue;
      const double value = cells_.finite(chunk, *factors_[j], i);
      const double size =
          std::max({std::abs(value), std::abs(listed[j]), fitted_.encoder().factors[j].scale});
      if (std::abs(value - listed[j]) <= kTolerance * size) continue;
      cells_.fail(
          chunk, *factors_[j], i,
          fmt::format("is {} where decision '{}' has {} among {}; mend one of them, or give "
                      "what differs per context as --candidates",
                      value, feasible_.table().ids[decision], listed[j], feasible_.described(i)));
    }
  }

  double predict(const TableChunk& chunk, std::size_t i, std::span<const double> x,
                 std::size_t decision) {
    const auto row = feasible_.table().row(decision);
    z_.assign(row.begin(), row.end());
    if (centers_ != nullptr) {
      const auto middle = centers_->of(chunk.columns[*context_id_].texts[i]);
      for (std::size_t j = 0; j < z_.size(); ++j) z_[j] -= middle[j];
    }
    return family_.mean(finite_predictor(fitted_, x, z_, {reader_.name(), chunk.first_row + i}));
  }

  const TableReader& reader_;
  const Fitted& fitted_;
  OutputFamily family_;
  Feasible& feasible_;
  const FactorCenters* centers_;  // null: factors are as they stand
  std::vector<ColumnRequest> requests_;
  ChunkCells cells_;
  std::size_t outcome_ = 0, propensity_ = 0, decision_ = 0;
  std::optional<std::size_t> context_id_, weight_, group_;
  std::vector<std::optional<std::size_t>> factors_;
  TextCodes groups_;
  std::vector<double> z_;
  PolicyLog log_;
  std::vector<std::size_t> logged_, chosen_;
};

// Predictions of a model with centred factors need the centres it was fitted with.
void check_centers(const Fitted& fitted, const std::string& context_id,
                   const FactorCenters* centers) {
  const std::string& centered_by = fitted.roles().centered_by;
  if (centered_by.empty()) return;
  if (centers == nullptr || context_id != centered_by) {
    throw Error(
        ErrorCode::kUsage,
        fmt::format("the model counts factors from the mean of the candidates of each '{0}' "
                    "(--center-factors): give --candidates CAND --context-id {0}",
                    centered_by));
  }
  if (!fitted.has_weights()) {
    throw Error(ErrorCode::kInput,
                fmt::format("a {} model with centred factors has no decision rule of its own: fit "
                            "it without --center-factors, or another --method",
                            word(fitted.method())));
  }
}

}  // namespace

PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, const Library& library,
                          const EncodeOptions& options) {
  check_centers(fitted, "", nullptr);
  SharedDecisions feasible(fitted.scorer(), library);
  PolicyLogReader rows(reader, fitted, columns, feasible, nullptr);
  PolicyLog log = rows.run(options);
  std::vector<std::uint8_t> seen(library.size(), 0);
  for (const std::size_t decision : rows.logged()) seen[decision] = 1;
  for (const std::size_t decision : rows.chosen()) log.chosen_was_logged.push_back(seen[decision]);
  return log;
}

PolicyLog read_policy_log(const TableReader& reader, const Fitted& fitted,
                          const PolicyColumns& columns, Candidates& candidates,
                          const FactorCenters* centers, const EncodeOptions& options) {
  check_centers(fitted, columns.context_id, centers);
  ListedDecisions feasible(fitted.scorer(), candidates);
  return PolicyLogReader(reader, fitted, columns, feasible, centers).run(options);
}

}  // namespace otss
