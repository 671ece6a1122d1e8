// The columns of a model and the rules for reading them, as a section of the model file.
#pragma once

#include "base/json.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"

namespace otss::internal {

Json schema_to_json(const Encoder& encoder, const Roles& roles);
void schema_from_json(JsonFields fields, int version, Encoder& encoder, Roles& roles);

}  // namespace otss::internal
