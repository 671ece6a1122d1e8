// This header writes and reads the field `provenance.units` of the model file, the report on units'
// deviations (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

Json deviation_report_to_json(const DeviationReport& report);

// Throws an Error that names the first field that is missing or has another form. The caller checks
// that no field is left over.
DeviationReport deviation_report_from_json(JsonFields& fields, int version);

}  // namespace otss::internal
