#include "decide/milp/plan_builder.hpp"

#include <fmt/core.h>

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

MilpPlan PlanBuilder::finish() && {
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
