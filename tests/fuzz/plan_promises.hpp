// What holds for every plan that was read, whatever its format.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "decide/milp/plan_builder.hpp"
#include "promises.hpp"

namespace otss::fuzz {

using ReadPlan = MilpPlan (*)(const std::string& source, std::string_view text);

// A bound may be infinite only where it allows everything.
inline void require_bounds(std::span<const double> lower, std::span<const double> upper) {
  for (const double bound : lower)
    require(bound < internal::kInfinity, "a lower bound is below infinity");
  for (const double bound : upper)
    require(bound > -internal::kInfinity, "an upper bound is above -infinity");
}

inline void require_sound(const MilpPlan& plan) {
  const std::size_t n = plan.num_variables(), m = plan.num_constraints();
  require(plan.lower.size() == n && plan.upper.size() == n && plan.integer.size() == n &&
              plan.objective.size() == n && plan.first.size() == n + 1,
          "a plan has one entry per variable");
  require(plan.row_lower.size() == m && plan.row_upper.size() == m, "a plan has one entry per row");
  require(plan.first.back() == plan.row.size() && plan.row.size() == plan.value.size(),
          "a plan has one row per coefficient");
  for (const int row : plan.row)
    require(row >= 0 && static_cast<std::size_t>(row) < m, "a coefficient belongs to a constraint");
  require_bounds(plan.lower, plan.upper);
  require_bounds(plan.row_lower, plan.row_upper);
  require_finite(plan.value, "coefficients are finite");
  require_finite(plan.objective, "the objective is finite");
  require(std::isfinite(plan.constant), "the constant is finite");
}

inline MilpProblem problem_of(MilpPlan plan) {
  const auto shared = std::make_shared<const MilpPlan>(std::move(plan));
  return {shared,        shared->objective, shared->constant, shared->lower,
          shared->upper, shared->row_lower, shared->row_upper};
}

// Writing a program and reading it again gives the same variables, bounds and objective.
inline void require_same_when_written(const MilpProblem& problem,
                                      std::string (*write)(const MilpProblem&), ReadPlan read) {
  std::string text;
  if (!accepts([&] { text = write(problem); })) return;  // the format does not allow some name
  const MilpPlan again = read("written", text);
  require_sound(again);
  const MilpPlan& plan = *problem.plan;
  require(again.variables == plan.variables, "a written plan has the same variables");
  require(again.lower == problem.lower && again.upper == problem.upper,
          "a written plan has the same bounds");
  require(again.integer == plan.integer, "a written plan has the same integers");
  require(again.objective == problem.objective, "a written plan has the same objective");
  require(again.constant == problem.constant, "a written plan has the same constant");
}

// An MPS file has every constraint that is bounded at all, with both its limits.
inline void require_same_rows_in_mps(const MilpProblem& problem) {
  std::string text;
  if (!accepts([&] { text = mps_text(problem); })) return;
  const MilpPlan again = internal::read_mps("written", text);
  std::size_t next = 0;
  for (std::size_t i = 0; i < problem.row_lower.size(); ++i) {
    const double lower = problem.row_lower[i], upper = problem.row_upper[i];
    if (std::isinf(lower) && std::isinf(upper)) continue;
    require(again.constraints[next] == problem.plan->constraints[i],
            "a written plan has the same constraints");
    const double rounding = 1e-9 * (std::abs(lower) + std::abs(upper));
    require(again.row_upper[next] == upper, "a written plan has the same upper limits");
    require(again.row_lower[next] == lower || std::abs(again.row_lower[next] - lower) <= rounding,
            "a written plan has the same lower limits");
    ++next;
  }
}

inline int test_plan(std::string_view text, ReadPlan read) {
  MilpPlan plan;
  if (!accepts([&] { plan = read("plan", text); })) return 0;
  require_sound(plan);
  if (plan.num_variables() == 0) return 0;
  const MilpProblem problem = problem_of(std::move(plan));
  require_same_when_written(problem, mps_text, internal::read_mps);
  require_same_rows_in_mps(problem);
  require_same_when_written(problem, lp_text, internal::read_lp);
  return 0;
}

}  // namespace otss::fuzz
