// decide --mps: one mixed-integer program per context.
#pragma once

#include "arguments.hpp"
#include "plan_arguments.hpp"

namespace otss::app {

// What decide takes with --library or --candidates only, and was given with --mps, is an Error.
void check_plan_usage(const CLI::App& command);

void decide_plan(const std::string& model, const ContextArguments& contexts, PlanArguments plan,
                 const Output& output);

}  // namespace otss::app
