// A Fitted as a JSON document and back, field by field.
#pragma once

#include "base/json.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

inline constexpr int kModelVersion = 1;

Json model_to_json(const Fitted& fitted);  // without the checksum
Fitted model_from_json(
    JsonFields& document);  // `format`, `version` and `checksum` have been looked at

}  // namespace otss
