// This header checks every answer of a solver before the answer is used.
#pragma once

#include "otss/decide/milp.hpp"

namespace otss::internal {

// Checks a solution, which must have a point. Rounds the integer variables of this point, computes
// the objective again and returns it. Throws Error(kFailed) in three cases: the point violates
// integrality, a bound or a constraint; the solver reported another objective; or the solver's
// upper bound is below the objective.
double confirm(const MilpProblem& problem, MilpSolution& solution);

}  // namespace otss::internal
