// Which decisions are open to the contexts of a call.
#pragma once

#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"

namespace otss {

// One entry per context. Candidates without ids of the contexts, and a context without candidates,
// are errors.
std::vector<ContextDecisions> open_decisions(const FeasibleSet& feasible, const Contexts& contexts);

}  // namespace otss
