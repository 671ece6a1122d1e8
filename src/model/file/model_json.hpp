// Converts a Fitted to a JSON document and back, field by field.
#pragma once

#include "base/json.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// The version of the model files that this program writes. It can also read every earlier version.
inline constexpr int kModelVersion = 2;

Json model_to_json(const Fitted& fitted);  // the document does not have the checksum yet

// Before the call, the caller checks `format`, `version` (1 to kModelVersion) and `checksum`. The
// function that reads a section reads those fields that the section had in the given version.
Fitted model_from_json(JsonFields& document, int version);

}  // namespace otss::internal
