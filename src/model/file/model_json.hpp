// A Fitted as a JSON document and back, field by field.
#pragma once

#include "base/json.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// The version that is written; every earlier one is read.
inline constexpr int kModelVersion = 2;

Json model_to_json(const Fitted& fitted);  // without the checksum

// `format`, `version` and `checksum` have been looked at; `version` is 1 to kModelVersion. Each
// section's reader gets it and reads what that version had.
Fitted model_from_json(JsonFields& document, int version);

}  // namespace otss
