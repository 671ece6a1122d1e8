#include "plan_arguments.hpp"

#include "number_range.hpp"

namespace otss::app {
namespace {

// Limits of --time-limit, in seconds: a nanosecond, and about 30 years.
constexpr double kShortestLimit = 1e-9, kLongestLimit = 1e9;

}  // namespace

CLI::Option* PlanArguments::add_files(CLI::App& command) {
  CLI::Option* mps =
      command.add_option("--mps", plan, "plan file (.mps or .lp) with variables and constraints")
          ->type_name("PLAN");
  CLI::Option* map =
      command
          .add_option(
              "--factor-map", factor_map,
              "table with the columns variable, factor and coefficient, which says how much one "
              "unit of each variable adds to each factor")
          ->type_name("MAP");
  command
      .add_option("--overrides", overrides,
                  "table of right-hand sides and bounds that differ in some contexts, with the "
                  "columns row, kind, name and value; row is the number of a row of CONTEXTS, from "
                  "1 on; kind is rhs, lower or upper; name is a variable or constraint")
      ->type_name("TABLE")
      ->needs(mps);
  command
      .add_flag("--keep-objective", options.keep_objective,
                "maximise the weighted factors plus the plan's own objective (times -1 if the plan "
                "minimises it), instead of the weighted factors alone")
      ->needs(mps);
  mps->needs(map);
  return map;
}

void PlanArguments::add_solver_options(CLI::App& command) {
  CLI::Option* mps = command.get_option("--mps");
  command.get_option("--factor-map")->needs(mps);
  command
      .add_option("--time-limit", options.time_limit_seconds,
                  "time limit of the solver, in seconds per context")
      ->check(number_range(kShortestLimit, kLongestLimit))
      ->type_name("S")
      ->needs(mps);
  command
      .add_option("--gap", options.gap,
                  "stop when (bound - objective) / max(|bound|, |objective|) is at most this "
                  "number; with 0 the solver stops only at a proven optimum")
      ->check(number_range(0.0, 1.0))
      ->type_name("G")
      ->needs(mps);
}

MilpBridge PlanArguments::bridge(const Fitted& fitted) const {
  MilpPlan read = read_milp_plan(plan);
  FactorMap map = read_factor_map(factor_map, fitted);
  MilpOverrides changes;
  if (!overrides.empty()) changes = read_milp_overrides(overrides, read);
  return MilpBridge(std::move(read), std::move(map), std::move(changes), options);
}

}  // namespace otss::app
