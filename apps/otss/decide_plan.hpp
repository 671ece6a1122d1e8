// This header runs otss decide --mps, which solves one mixed-integer program per context.
#pragma once

#include "arguments.hpp"
#include "plan_arguments.hpp"
#include "unit_arguments.hpp"

namespace otss::app {

// Throws an Error if an option was given that otss decide accepts only with --library or
// --candidates.
void check_plan_usage(const CLI::App& command);

// Solves the plan once per context and writes the table of answers.
void decide_plan(const std::string& model, const ContextArguments& contexts, UnitArguments& units,
                 PlanArguments plan, const Output& output);

}  // namespace otss::app
