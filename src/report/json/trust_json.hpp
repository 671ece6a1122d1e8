// This header writes the sections of a report about decisions and about trust.
#pragma once

#include "base/json.hpp"
#include "report/facts.hpp"

namespace otss::internal {

Json decisions_to_json(const DecisionsFacts& decisions);
Json trust_to_json(const Facts& facts);

}  // namespace otss::internal
