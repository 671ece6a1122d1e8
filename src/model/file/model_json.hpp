// This header converts a Fitted to a JSON document and back, field by field.
#pragma once

#include "base/json.hpp"
#include "otss/model/fitted.hpp"

namespace otss::internal {

// The version of the model files that this program writes. The program can also read model files of
// every earlier version.
inline constexpr int kModelVersion = 2;

Json model_to_json(const Fitted& fitted);  // returns the document without its checksum

// Reads a model of the given file version. The caller must have checked the fields `format`,
// `version` (1 to kModelVersion) and `checksum`. Only fields that exist in this version are read.
Fitted model_from_json(JsonFields& document, int version);

}  // namespace otss::internal
