#include "report/log/decision_counter.hpp"

#include <algorithm>

#include "data/terms/term_columns.hpp"

namespace otss::internal {

namespace {
// Logged decisions are known if at least this share of the rows has a decision of the feasible set.
constexpr double kNearlyAll = 0.99;
}  // namespace

DecisionCounter::DecisionCounter(const Fitted& fitted, const TableReader& reader,
                                 const FeasibleSet& feasible, bool has_ids)
    : cells_(reader, requests_), has_ids_(has_ids), z_(fitted.num_factors()) {
  counts_.chosen.assign(feasible.size(), 0);
  counts_.logged.assign(feasible.size(), 0);
  if (has_ids) return;
  const std::vector<std::string> names = fitted.factor_names();
  const bool has_factors = std::ranges::all_of(
      names, [&](const std::string& name) { return has_factor(reader.columns(), name); });
  if (!has_factors) return;
  match_.emplace(feasible);
  for (const std::string& name : names) requests_.push_back({name});
}

std::optional<std::size_t> DecisionCounter::logged(const TableChunk& chunk,
                                                   const DecidedRows& decided, std::size_t row) {
  if (has_ids_) return decided.logged[row];
  if (!match_) return std::nullopt;
  for (std::size_t j = 0; j < z_.size(); ++j) z_[j] = cells_.finite(chunk, j, row);
  return match_->find(decided.context_of(row), z_);
}

void DecisionCounter::add(const TableChunk& chunk, const DecidedRows& decided) {
  for (std::size_t i = 0; i < chunk.num_rows; ++i) {
    const std::size_t chosen = decided.best[i].index;
    ++counts_.chosen[chosen];
    const std::optional<std::size_t> found = logged(chunk, decided, i);
    if (!found) continue;
    ++found_;
    ++counts_.logged[*found];
    counts_.agreements += *found == chosen ? 1 : 0;
  }
  rows_ += chunk.num_rows;
}

DecisionCounts DecisionCounter::result() const {
  DecisionCounts counts = counts_;
  if (static_cast<double>(found_) < kNearlyAll * static_cast<double>(rows_)) {
    counts.logged.clear();
    counts.agreements = 0;
  }
  return counts;
}

}  // namespace otss::internal
