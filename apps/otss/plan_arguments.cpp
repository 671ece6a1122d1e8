#include "plan_arguments.hpp"

namespace otss::app {

CLI::Option* PlanArguments::add_files(CLI::App& command) {
  CLI::Option* mps =
      command.add_option("--mps", plan, "a plan with constraints, .mps or .lp")->type_name("PLAN");
  CLI::Option* map =
      command
          .add_option("--factor-map", factor_map,
                      "what each variable adds to each factor: variable,factor,coefficient")
          ->type_name("MAP");
  command
      .add_option("--overrides", overrides,
                  "right-hand sides and bounds of single contexts: row,kind,name,value, of kind "
                  "rhs, lower or upper")
      ->type_name("TABLE")
      ->needs(mps);
  command
      .add_flag("--keep-objective", options.keep_objective,
                "add the plan's own objective, its sense respected, instead of replacing it")
      ->needs(mps);
  mps->needs(map);
  return map;
}

void PlanArguments::add_solver_options(CLI::App& command) {
  CLI::Option* mps = command.get_option("--mps");
  command.get_option("--factor-map")->needs(mps);
  command.add_option("--time-limit", options.time_limit_seconds, "seconds for each context's plan")
      ->check(CLI::PositiveNumber)
      ->type_name("S")
      ->needs(mps);
  command
      .add_option("--gap", options.gap,
                  "stop once the bound is within this share of the objective; 0 proves the optimum")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("G")
      ->needs(mps);
}

MilpBridge PlanArguments::bridge(const Fitted& fitted) const {
  MilpPlan read = read_milp_plan(plan);
  FactorMap map = read_factor_map(factor_map, fitted.factor_names());
  MilpOverrides changes;
  if (!overrides.empty()) changes = read_milp_overrides(overrides, read);
  return MilpBridge(std::move(read), std::move(map), std::move(changes), options);
}

}  // namespace otss::app
