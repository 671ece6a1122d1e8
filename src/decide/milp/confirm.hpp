// This header checks every answer of a solver before the answer is used.
#pragma once

#include "otss/decide/milp.hpp"

namespace otss::internal {

// Checks a solution, which must have a value for each variable. Rounds the values of the integer
// variables, and returns the objective computed from the values. Throws Error(kFailed) in three
// cases:
// - a value is not an integer although it must be, or the values violate a bound or a constraint;
// - the solver reported another objective;
// - the solver's upper bound is below the objective.
double confirm(const MilpProblem& problem, MilpSolution& solution);

}  // namespace otss::internal
