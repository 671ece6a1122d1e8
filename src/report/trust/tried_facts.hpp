// This header describes the settings that a fit tried.
#pragma once

#include <vector>

#include "otss/model/fitted.hpp"
#include "report/facts.hpp"

namespace otss::internal {

// Returns the settings that the fit tried, the lowest held-out loss first. Settings without a
// held-out loss are left out.
std::vector<TriedFacts> tried_facts(const Fitted& fitted);

}  // namespace otss::internal
