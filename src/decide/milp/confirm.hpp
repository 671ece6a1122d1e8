// No answer of a solver is passed on unread.
#pragma once

#include "otss/decide/milp.hpp"

namespace otss {

// Where the solution has a point: rounds its integers, and throws Error(kFailed) where it breaks
// integrality, a bound or a constraint, where the solver's objective is not the point's, or where
// its bound is below it. Gives the objective, recomputed.
double confirm(const MilpProblem& problem, MilpSolution& solution);

}  // namespace otss
