// This header writes and reads the field `provenance.diagnostics.calibration` of the model file
// (docs/reference/model-file.md).
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "otss/model/diagnostics.hpp"

namespace otss::internal {

Json calibration_to_json(const std::vector<PredictionBin>& bins);

// Reads the list in the field `name`. Throws an Error that names the first part that is missing or
// has another form.
std::vector<PredictionBin> calibration_from_json(JsonFields& fields, const std::string& name);

}  // namespace otss::internal
