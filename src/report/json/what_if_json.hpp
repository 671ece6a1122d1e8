// This header writes the what-if section: all that a page needs to compute shares, weights and
// decisions of any context as the program does.
#pragma once

#include "base/json.hpp"
#include "report/facts.hpp"

namespace otss::internal {

// Returns null if there are no what-if facts, or if the model is too large for a page.
Json what_if_to_json(const Facts& facts);

}  // namespace otss::internal
