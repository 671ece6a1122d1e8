// Checks every answer of a solver before it is used.
#pragma once

#include "otss/decide/milp.hpp"

namespace otss::internal {

// Precondition: the solution has a point. Rounds the integer variables of this point, recomputes
// the objective and returns it. Throws Error(kFailed) if the point violates integrality, a bound or
// a constraint, if the solver reported another objective, or if the solver's upper bound is below
// the objective.
double confirm(const MilpProblem& problem, MilpSolution& solution);

}  // namespace otss::internal
