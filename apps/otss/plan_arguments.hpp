// A plan file and what ties it to a model: shared by decide --mps and export-objective.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "otss/decide/milp.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct PlanArguments {
  std::string plan, factor_map, overrides;
  MilpOptions options;

  CLI::Option* add_files(CLI::App& command);  // gives --factor-map
  void add_solver_options(CLI::App& command);

  bool is_given() const { return !plan.empty(); }
  std::vector<std::string> inputs() const { return {plan, factor_map, overrides}; }
  MilpBridge bridge(const Fitted& fitted) const;
};

}  // namespace otss::app
