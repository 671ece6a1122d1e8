// This header writes and reads the section `schema` of the model file. The section holds the
// columns of the model and the rules for reading them.
#pragma once

#include "base/json.hpp"
#include "otss/data/encoder.hpp"
#include "otss/data/roles.hpp"

namespace otss::internal {

Json schema_to_json(const Encoder& encoder, const Roles& roles);
void schema_from_json(JsonFields fields, int version, Encoder& encoder, Roles& roles);

}  // namespace otss::internal
