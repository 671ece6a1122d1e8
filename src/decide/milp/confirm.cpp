#include "decide/milp/confirm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The tolerance of the checks, relative to the largest of three numbers: 1, the limit that is
// checked, and the sum of the absolute values of the terms. Solvers use a smaller tolerance, 1e-7,
// so a correct answer passes the checks.
constexpr double kTolerance = 1e-6;

Error refused(const std::string& what) {
  return Error(
      ErrorCode::kFailed,
      fmt::format(
          "the solver's answer {}, so the answer is rejected; choose units in which the "
          "numbers of the plan are closer to 1, or write the plan with otss export-objective "
          "and solve it with another solver",
          what));
}

bool above(double value, double limit, double size) {
  return value > limit + kTolerance * std::max({1.0, size, std::abs(limit)});
}

void round_integers(const MilpPlan& plan, std::vector<double>& values) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (plan.integer[j] == 0) continue;
    const double whole = std::round(values[j]);
    if (!(std::abs(values[j] - whole) <= kTolerance * std::max(1.0, std::abs(whole)))) {
      throw refused(
          fmt::format("has {} = {}, which is not an integer", plan.variables[j], values[j]));
    }
    values[j] = whole;
  }
}

void check_bounds(const MilpProblem& problem, std::span<const double> values) {
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double size = std::abs(values[j]);
    if (!std::isfinite(size) || above(values[j], problem.upper[j], 0) ||
        above(-values[j], -problem.lower[j], 0)) {
      throw refused(fmt::format("has {} = {}, outside its bounds {} and {}",
                                problem.plan->variables[j], values[j], problem.lower[j],
                                problem.upper[j]));
    }
  }
}

void check_rows(const MilpProblem& problem, std::span<const double> values) {
  const MilpPlan& plan = *problem.plan;
  std::vector<double> activity(plan.num_constraints(), 0), size(plan.num_constraints(), 0);
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (std::size_t at = plan.first[j]; at < plan.first[j + 1]; ++at) {
      const double term = plan.value[at] * values[j];
      activity[plan.row[at]] += term;
      size[plan.row[at]] += std::abs(term);
    }
  }
  for (std::size_t i = 0; i < activity.size(); ++i) {
    if (above(activity[i], problem.row_upper[i], size[i]) ||
        above(-activity[i], -problem.row_lower[i], size[i])) {
      throw refused(fmt::format("violates constraint '{}' ({} is not between {} and {})",
                                plan.constraints[i], activity[i], problem.row_lower[i],
                                problem.row_upper[i]));
    }
  }
}

}  // namespace

double confirm(const MilpProblem& problem, MilpSolution& solution) {
  if (solution.values.size() != problem.plan->num_variables()) {
    throw refused(fmt::format("has {} values for {} variables", solution.values.size(),
                              problem.plan->num_variables()));
  }
  round_integers(*problem.plan, solution.values);
  check_bounds(problem, solution.values);
  for (std::size_t j = 0; j < solution.values.size(); ++j) {
    solution.values[j] = std::clamp(solution.values[j], problem.lower[j], problem.upper[j]);
  }
  check_rows(problem, solution.values);
  double objective = problem.constant, size = std::abs(problem.constant);
  for (std::size_t j = 0; j < solution.values.size(); ++j) {
    const double term = problem.objective[j] * solution.values[j];
    objective += term;
    size = std::max(size + std::abs(term), std::abs(problem.objective[j]));
  }
  if (!(std::abs(objective - solution.objective) <= kTolerance * size)) {
    throw refused(fmt::format("claims the objective {}, but its true objective is {}",
                              solution.objective, objective));
  }
  if (objective - solution.bound > kTolerance * size) {
    throw refused(
        fmt::format("claims the bound {}, but its objective is {}", solution.bound, objective));
  }
  return objective;
}

}  // namespace otss::internal
