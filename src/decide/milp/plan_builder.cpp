#include "decide/milp/plan_builder.hpp"

#include <fmt/core.h>

#include <cmath>

namespace otss::internal {

Error PlanBuilder::error(std::size_t line, const std::string& what) const {
  return Error(ErrorCode::kInput, fmt::format("{}: line {}: {}", source_, line, what));
}

std::size_t PlanBuilder::variable(std::string_view name) {
  const auto [index, is_new] = variables_.insert(name);
  if (is_new) {
    lower.push_back(0);
    upper.push_back(kInfinity);
    integer.push_back(0);
    objective.push_back(0);
    columns_.emplace_back();
  }
  return index;
}

bool PlanBuilder::add_constraint(std::string_view name, double row_lo, double row_hi) {
  if (!constraints_.insert(name).second) return false;
  row_lower.push_back(row_lo);
  row_upper.push_back(row_hi);
  return true;
}

void PlanBuilder::add_coefficient(std::size_t constraint, std::size_t variable, double value) {
  columns_[variable].push_back({static_cast<int>(constraint), value});
}

void PlanBuilder::check_bounds(const std::string& what, double lo, double hi) const {
  if (lo < kInfinity && hi > -kInfinity) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: {} has the bounds {} and {}, which allow no number; correct these bounds",
                  source_, what, lo, hi));
}

void PlanBuilder::check_variable(std::size_t j) const {
  const std::string& name = variables_.names()[j];
  check_bounds(fmt::format("variable '{}'", name), lower[j], upper[j]);
  const auto check = [&](double coefficient, const std::string& where) {
    if (std::isfinite(coefficient)) return;
    throw Error(ErrorCode::kInput,
                fmt::format("{}: the coefficient of variable '{}' in {} is too large to be stored; "
                            "write a smaller coefficient",
                            source_, name, where));
  };
  check(objective[j], "the objective");
  for (const Entry& entry : columns_[j])
    check(entry.value, fmt::format("constraint '{}'", constraints_.names()[entry.row]));
}

MilpPlan PlanBuilder::finish() && {
  for (std::size_t j = 0; j < columns_.size(); ++j) check_variable(j);
  for (std::size_t i = 0; i < row_lower.size(); ++i)
    check_bounds(fmt::format("constraint '{}'", constraints_.names()[i]), row_lower[i],
                 row_upper[i]);
  if (!std::isfinite(constant))
    throw Error(
        ErrorCode::kInput,
        fmt::format(
            "{}: the constant of the objective is too large to be stored; write a smaller constant",
            source_));
  MilpPlan plan;
  plan.source = std::move(source_);
  plan.variables = variables_.names();
  plan.constraints = constraints_.names();
  plan.lower = std::move(lower);
  plan.upper = std::move(upper);
  plan.integer = std::move(integer);
  plan.row_lower = std::move(row_lower);
  plan.row_upper = std::move(row_upper);
  for (const std::vector<Entry>& column : columns_) {
    for (const Entry& entry : column) {
      plan.row.push_back(entry.row);
      plan.value.push_back(entry.value);
    }
    plan.first.push_back(plan.row.size());
  }
  plan.objective = std::move(objective);
  plan.constant = constant;
  if (!maximises) {
    for (double& c : plan.objective) c = -c;
    plan.constant = -plan.constant;
  }
  return plan;
}

}  // namespace otss::internal
