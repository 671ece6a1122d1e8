// PlanArguments has the arguments that otss decide --mps and otss export-objective share: the plan
// file, and the tables that relate the plan to a model.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "otss/decide/milp.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct PlanArguments {
  std::string plan, factor_map, overrides;  // the paths of three files; empty if not given
  MilpOptions options;

  CLI::Option* add_files(CLI::App& command);  // returns the option --factor-map
  void add_solver_options(CLI::App& command);

  bool is_given() const { return !plan.empty(); }
  std::vector<std::string> inputs() const { return {plan, factor_map, overrides}; }
  // Reads the plan, the factor map and the overrides.
  MilpBridge bridge(const Fitted& fitted) const;
};

}  // namespace otss::app
