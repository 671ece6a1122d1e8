// This header writes and reads the field `provenance.weight_checks` of the model file
// (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "otss/model/weight_checks.hpp"

namespace otss::internal {

Json weight_checks_to_json(const WeightChecks& checks);

// Throws an Error that names the first field that is missing or has another form. The caller checks
// that no field is left over.
WeightChecks weight_checks_from_json(JsonFields& fields, int version);

}  // namespace otss::internal
