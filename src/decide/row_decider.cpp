#include "decide/row_decider.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "data/terms/term_columns.hpp"

namespace otss::internal {

RowDecider::RowDecider(const TableReader& reader, const Fitted& fitted, const std::string& decision,
                       const FeasibleSet& feasible, const UnitColumns& units, int threads)
    : fitted_(fitted),
      feasible_(feasible),
      decider_(fitted.scorer(), feasible,
               {.num_threads = threads, .prune = units.states == nullptr}),
      requests_(fitted.encoder().context_requests()),
      units_(units, reader, requests_),
      cells_(reader, requests_) {
  const auto request = [&](const std::string& name, const char* role) {
    requests_.push_back({reader.column(name, role).name, true});
    return requests_.size() - 1;
  };
  if (!feasible.is_shared()) context_id_ = request(feasible.context_id(), "--context-id");
  if (decision.empty()) return;
  decision_ = request(decision, "--decision");
  for (const std::string& name : fitted.factor_names()) {
    factors_.emplace_back();
    if (!has_factor(reader.columns(), name)) continue;
    factors_.back() = requests_.size();
    requests_.push_back({name});
  }
  // A context has few candidates, so only the ids of a library need an index.
  for (std::size_t row = 0; feasible.is_shared() && row < feasible.size(); ++row)
    row_of_id_.emplace(feasible.id(row), row);
}

DecidedRows RowDecider::decide(const TableChunk& chunk, std::span<const double> x) const {
  DecidedRows rows;
  for (std::size_t i = 0; context_id_ && i < chunk.num_rows; ++i)
    rows.context_ids.emplace_back(cells_.text(chunk, *context_id_, i));
  rows.beliefs = units_.read(chunk, 0);
  rows.best = decider_.decide({chunk.num_rows, x, rows.context_ids, rows.beliefs.of_rows()});
  for (std::size_t i = 0; decision_ && i < chunk.num_rows; ++i)
    rows.logged.push_back(logged_decision(chunk, i, rows.context_of(i)));
  return rows;
}

std::size_t RowDecider::logged_decision(const TableChunk& chunk, std::size_t row,
                                        std::string_view context) const {
  const std::string_view id = cells_.text(chunk, *decision_, row);
  const std::optional<std::size_t> found = find(context, id);
  if (!found) {
    cells_.fail(chunk, *decision_, row,
                fmt::format("is '{}', but {} do not include this id; add the decision there, or "
                            "leave the row out",
                            id, described(context)));
  }
  check_factors(chunk, row, context, *found);
  return *found;
}

// Returns the row of the decision in the table of the feasible set, or nothing if no decision has
// this id.
std::optional<std::size_t> RowDecider::find(std::string_view context, std::string_view id) const {
  if (feasible_.is_shared()) {
    const auto entry = row_of_id_.find(id);
    if (entry == row_of_id_.end()) return std::nullopt;
    return entry->second;
  }
  const auto rows = feasible_.of(context).rows();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](std::size_t row) { return feasible_.id(row) == id; });
  if (found == rows.end()) return std::nullopt;
  return *found;
}

// Throws an Error if the value of a factor in the log differs from its value in the feasible set.
// Differences that come from rounding numbers in a file are allowed.
void RowDecider::check_factors(const TableChunk& chunk, std::size_t row, std::string_view context,
                               std::size_t decision) const {
  constexpr double kTolerance = 1e-6;
  const auto listed = feasible_.factors_of(decision);
  for (std::size_t j = 0; j < factors_.size(); ++j) {
    if (!factors_[j]) continue;
    const double value = cells_.finite(chunk, *factors_[j], row);
    const double size =
        std::max({std::abs(value), std::abs(listed[j]), fitted_.encoder().factors[j].scale});
    if (std::abs(value - listed[j]) <= kTolerance * size) continue;
    cells_.fail(chunk, *factors_[j], row,
                fmt::format("is {0}, but {3} give decision '{1}' the value {2}; correct one of the "
                            "two values, or, if this factor differs between contexts, list the "
                            "decisions per context with --candidates",
                            value, feasible_.id(decision), listed[j], described(context)));
  }
}

std::string RowDecider::described(std::string_view context) const {
  return context_id_ ? fmt::format("the candidates of context '{}'", context)
                     : "the decisions of --library";
}

}  // namespace otss::internal
