// The feasible decisions of the contexts of a call.
#pragma once

#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"

namespace otss::internal {

// Returns the feasible decisions of each context. For candidates, contexts without ids and a
// context without candidates are an Error.
std::vector<ContextDecisions> open_decisions(const FeasibleSet& feasible, const Contexts& contexts);

}  // namespace otss::internal
