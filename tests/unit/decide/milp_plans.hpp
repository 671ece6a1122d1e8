// Plans that the tests of the solver bridge share.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "otss/decide/milp.hpp"

namespace otss::test {

using namespace internal;

inline constexpr double kInf = std::numeric_limits<double>::infinity();

// Dense rows; every variable from 0 to `upper`, whole.
inline MilpPlan plan_of(const std::vector<std::vector<double>>& rows, std::vector<double> row_lower,
                        std::vector<double> row_upper, std::vector<double> upper) {
  MilpPlan plan;
  plan.source = "plan.mps";
  for (std::size_t i = 0; i < rows.size(); ++i)
    plan.constraints.push_back(fmt::format("c{}", i + 1));
  for (std::size_t j = 0; j < upper.size(); ++j) {
    plan.variables.push_back(fmt::format("x{}", j + 1));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][j] == 0) continue;
      plan.row.push_back(static_cast<int>(i));
      plan.value.push_back(rows[i][j]);
    }
    plan.first.push_back(plan.row.size());
  }
  plan.lower.assign(upper.size(), 0);
  plan.upper = std::move(upper);
  plan.integer.assign(plan.upper.size(), 1);
  plan.row_lower = std::move(row_lower);
  plan.row_upper = std::move(row_upper);
  plan.objective.assign(plan.upper.size(), 0);
  return plan;
}

// One factor per variable, so that the weights are the objective.
inline FactorMap identity_map(const MilpPlan& plan) {
  FactorMap map;
  map.source = "map.csv";
  for (std::size_t j = 0; j < plan.num_variables(); ++j) {
    map.variables.push_back(plan.variables[j]);
    map.first_mention.push_back(j);
    map.entries.push_back({j, static_cast<int>(j), 1});
  }
  map.constants.assign(plan.num_variables(), 0);
  return map;
}

inline MilpBridge bridge_of(const MilpPlan& plan, MilpOptions options = {},
                            MilpSolver solver = solve_with_cbc) {
  return MilpBridge(plan, identity_map(plan), {}, options, std::move(solver));
}

// The best value over all 0/1 points; -infinity where none is feasible.
inline double best_by_enumeration(const MilpPlan& plan, const std::vector<double>& c) {
  const std::size_t n = plan.num_variables();
  double best = -kInf;
  for (std::size_t point = 0; point < std::size_t{1} << n; ++point) {
    std::vector<double> activity(plan.num_constraints(), 0);
    double objective = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if ((point >> j & 1) == 0) continue;
      objective += c[j];
      for (std::size_t at = plan.first[j]; at < plan.first[j + 1]; ++at) {
        activity[plan.row[at]] += plan.value[at];
      }
    }
    bool feasible = true;
    for (std::size_t i = 0; i < activity.size(); ++i) {
      feasible = feasible && activity[i] <= plan.row_upper[i] + 1e-9 &&
                 activity[i] >= plan.row_lower[i] - 1e-9;
    }
    if (feasible) best = std::max(best, objective);
  }
  return best;
}

inline MilpPlan random_knapsack(std::size_t n, std::size_t num_rows, Rng& rng) {
  std::vector<std::vector<double>> rows(num_rows, std::vector<double>(n));
  std::vector<double> capacity;
  for (auto& row : rows) {
    double sum = 0;
    for (double& a : row) sum += a = 1 + static_cast<double>(rng.below(40));
    capacity.push_back(std::floor(sum / 3));
  }
  return plan_of(rows, std::vector<double>(num_rows, -kInf), capacity, std::vector<double>(n, 1));
}

}  // namespace otss::test
