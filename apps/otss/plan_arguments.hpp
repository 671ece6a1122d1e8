// The plan file and the tables that relate it to a model: arguments of decide --mps and of
// export-objective.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "otss/decide/milp.hpp"
#include "otss/model/fitted.hpp"

namespace otss::app {

struct PlanArguments {
  std::string plan, factor_map, overrides;  // paths; empty: not given
  MilpOptions options;

  CLI::Option* add_files(CLI::App& command);  // returns the option --factor-map
  void add_solver_options(CLI::App& command);

  bool is_given() const { return !plan.empty(); }
  std::vector<std::string> inputs() const { return {plan, factor_map, overrides}; }
  MilpBridge bridge(const Fitted& fitted) const;  // reads the files
};

}  // namespace otss::app
