// This header writes and reads the field `provenance.findings` of the model file
// (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "otss/data/finding.hpp"

namespace otss::internal {

Json findings_to_json(const Findings& findings);

// Reads the list in the field `name`. Throws an Error that names the first part that is missing or
// has another form.
Findings findings_from_json(JsonFields& fields, const std::string& name);

}  // namespace otss::internal
