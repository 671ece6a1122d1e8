// A Fitted as a JSON document and back, field by field.
#pragma once

#include "base/json.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// The version that is written; every earlier version can be read.
inline constexpr int kModelVersion = 2;

Json model_to_json(const Fitted& fitted);  // without the checksum

// The caller has checked `format`, `version` (1 to kModelVersion) and `checksum`. The reader of
// each section reads the fields which that version had.
Fitted model_from_json(JsonFields& document, int version);

}  // namespace otss
