// This header finds the feasible decisions of given contexts.
#pragma once

#include <vector>

#include "otss/data/feasible_set.hpp"
#include "otss/decide/decider.hpp"

namespace otss::internal {

// Returns the feasible decisions of each context. For candidates, throws an Error if the contexts
// have no ids, or if a context has no candidates.
std::vector<ContextDecisions> open_decisions(const FeasibleSet& feasible, const Contexts& contexts);

}  // namespace otss::internal
