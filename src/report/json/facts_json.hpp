// This header writes the facts of a report as the JSON document that docs/reference/facts.md
// describes.
#pragma once

#include "base/json.hpp"
#include "report/facts.hpp"

namespace otss::internal {

Json facts_to_json(const Facts& facts);

}  // namespace otss::internal
