// This header computes the facts about decisions: which decisions the model chooses, how sure they are,
// and which were logged.
#pragma once

#include <optional>

#include "otss/data/feasible_set.hpp"
#include "otss/model/fitted.hpp"
#include "report/facts.hpp"
#include "report/log/log_pass.hpp"

namespace otss::internal {

// At most this many contexts of the log are certified, and fewer if there are thousands of decisions.
inline constexpr std::size_t kMostCertifiedRows = 2'000;

// Returns nothing if the log was read without the decisions to choose from. `feasible` must be the
// set that `pass` was made with. Contexts with units are not certified. threads = 0 means all cores.
std::optional<DecisionsFacts> decision_facts(const Fitted& fitted, const LogPass& pass,
                                             const FeasibleSet* feasible, int threads);

}  // namespace otss::internal
