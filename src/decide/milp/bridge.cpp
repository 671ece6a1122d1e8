#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_set>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "decide/equal_rows.hpp"
#include "decide/milp/confirm.hpp"
#include "decide/milp/name_index.hpp"
#include "decide/milp/table_cells.hpp"
#include "otss/decide/milp.hpp"

namespace otss::internal {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::size_t> locate(const FactorMap& map, const MilpPlan& plan) {
  const NameIndex variables(plan.variables);
  std::vector<std::size_t> columns;
  for (std::size_t v = 0; v < map.variables.size(); ++v) {
    const auto column = variables.find(map.variables[v]);
    if (!column) {
      const std::string problem =
          fmt::format("'{}' has no variable '{}'; {}", plan.source, map.variables[v],
                      variables.way_out(map.variables[v]));
      if (map.first_mention.empty()) throw Error(ErrorCode::kInput, problem);
      throw cell_error(map.source, map.first_mention[v], "variable", problem);
    }
    columns.push_back(*column);
  }
  return columns;
}

void apply(const MilpOverride& change, MilpProblem& problem) {
  using Kind = MilpOverride::Kind;
  std::vector<double>& lower = change.on_variable ? problem.lower : problem.row_lower;
  std::vector<double>& upper = change.on_variable ? problem.upper : problem.row_upper;
  const bool is_rhs = change.kind == Kind::kRhs;
  if (change.kind == Kind::kLower || (is_rhs && std::isfinite(lower[change.index]))) {
    lower[change.index] = change.value;
  }
  if (change.kind == Kind::kUpper || (is_rhs && std::isfinite(upper[change.index]))) {
    upper[change.index] = change.value;
  }
}

double relative_gap(double objective, double bound) {
  if (std::isnan(bound)) return kNone;
  const double size = std::max(std::abs(objective), std::abs(bound));
  return size == 0 ? 0 : (bound - objective) / size;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

const char* name_of(MilpStatus status) {
  switch (status) {
    case MilpStatus::kOptimal: return "optimal";
    case MilpStatus::kFeasible: return "feasible";
    case MilpStatus::kInfeasible: return "infeasible";
    case MilpStatus::kUnbounded: return "unbounded";
    case MilpStatus::kLimit: break;
  }
  return "limit";
}

MilpBridge::MilpBridge(MilpPlan plan, FactorMap map, MilpOverrides overrides, MilpOptions options,
                       MilpSolver solver)
    : plan_(std::make_shared<const MilpPlan>(std::move(plan))),
      map_(std::move(map)),
      column_of_(locate(map_, *plan_)),
      overrides_(std::move(overrides)),
      options_(options),
      solver_(std::move(solver)) {}

MilpProblem MilpBridge::problem(std::size_t row, std::span<const double> w) const {
  MilpProblem problem{plan_, {}, 0, plan_->lower, plan_->upper, plan_->row_lower, plan_->row_upper};
  if (options_.keep_objective) {
    problem.objective = plan_->objective;
    problem.constant = plan_->constant;
  } else {
    problem.objective.assign(plan_->num_variables(), 0);
  }
  const std::vector<double> c = weighted_objective(map_, w);
  for (std::size_t v = 0; v < c.size(); ++v) problem.objective[column_of_[v]] += c[v];
  problem.constant += weighted_constant(map_, w);
  if (const auto changes = overrides_.by_row.find(row); changes != overrides_.by_row.end()) {
    // Overrides of the kind rhs may set both sides of a constraint. They are applied first, so that
    // the overrides lower and upper can then change one side.
    for (const bool rhs : {true, false}) {
      for (const MilpOverride& change : changes->second) {
        if ((change.kind == MilpOverride::Kind::kRhs) == rhs) apply(change, problem);
      }
    }
  }
  return problem;
}

MilpAnswer MilpBridge::solve(std::size_t row, std::span<const double> w) const {
  check_interrupt();
  const MilpProblem problem = this->problem(row, w);
  MilpSolution solution = solver_(problem, options_);
  MilpAnswer answer{solution.status, {},    kNone,
                    kNone,           kNone, std::vector<double>(num_factors(), kNone)};
  const bool has_point =
      solution.status == MilpStatus::kOptimal || solution.status == MilpStatus::kFeasible;
  if (solution.status == MilpStatus::kLimit) answer.bound = solution.bound;
  if (!has_point) return answer;
  try {
    answer.objective = confirm(problem, solution);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("context row {}: {}", row + 1, error.what()));
  }
  // Rounding may make the proven bound slightly smaller than the objective of the solution.
  answer.bound = solution.bound < answer.objective ? answer.objective : solution.bound;
  answer.gap = relative_gap(answer.objective - problem.constant, answer.bound - problem.constant);
  answer.values = std::move(solution.values);
  answer.factor_totals = factor_totals(answer.values);
  return answer;
}

std::string MilpBridge::key_of(std::size_t row, std::span<const double> w) const {
  std::string key = bits_of(w);
  const auto changes = overrides_.by_row.find(row);
  if (changes == overrides_.by_row.end()) return key;
  for (const MilpOverride& change : changes->second) {
    key +=
        fmt::format("|{} {} {} ", static_cast<int>(change.kind), change.on_variable, change.index);
    key += bits_of(std::span(&change.value, 1));
  }
  return key;
}

std::vector<MilpAnswer> MilpBridge::solve(std::size_t first_row, std::size_t rows,
                                          std::span<const double> w, MilpMemory& memory) const {
  assert(w.size() == rows * num_factors());
  const auto weights = [&](std::size_t i) { return w.subspan(i * num_factors(), num_factors()); };
  if (memory.num_numbers_ > MilpMemory::kMostNumbers) {
    memory.answers_.clear();
    memory.num_numbers_ = 0;
  }
  std::vector<std::string> keys;
  std::unordered_set<std::string_view> seen;
  std::vector<std::size_t> unsolved;
  keys.reserve(rows);  // the entries of `seen` point into `keys`, which must not be reallocated
  for (std::size_t i = 0; i < rows; ++i) {
    keys.push_back(key_of(first_row + i, weights(i)));
    if (!memory.answers_.contains(keys[i]) && seen.insert(keys[i]).second) unsolved.push_back(i);
  }
  std::vector<MilpAnswer> solved(unsolved.size());
  parallel_for(unsolved.size(), options_.num_threads, [&](std::size_t n) {
    solved[n] = solve(first_row + unsolved[n], weights(unsolved[n]));
  });
  memory.num_solved_ += unsolved.size();
  for (std::size_t n = 0; n < unsolved.size(); ++n) {
    memory.num_numbers_ += solved[n].values.size() + 2 * num_factors();
    memory.answers_.emplace(keys[unsolved[n]], std::move(solved[n]));
  }
  std::vector<MilpAnswer> answers;
  for (const std::string& key : keys) answers.push_back(memory.answers_.at(key));
  return answers;
}

std::vector<MilpAnswer> MilpBridge::solve(std::size_t first_row, std::size_t rows,
                                          std::span<const double> w) const {
  MilpMemory memory;
  return solve(first_row, rows, w, memory);
}

std::vector<double> MilpBridge::factor_totals(std::span<const double> values) const {
  std::vector<double> z = map_.constants;
  for (const FactorMap::Entry& entry : map_.entries) {
    z[entry.factor] += entry.coefficient * values[column_of_[entry.variable]];
  }
  return z;
}

void MilpBridge::check_rows(std::size_t num_contexts, const std::string& contexts_name) const {
  std::size_t named = 0;  // the last context row that has an override, counted from 1
  for (const auto& [row, changes] : overrides_.by_row) named = std::max(named, row + 1);
  if (named <= num_contexts) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format(
          "{}: there is an entry for context row {}, but '{}' has only {} rows; remove this entry",
          overrides_.source, named, contexts_name, num_contexts));
}

}  // namespace otss
