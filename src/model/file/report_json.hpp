// Converts the report of a fit to the `provenance` of the model's document and back.
#pragma once

#include "base/json.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

Json report_to_json(const FitReport& report, OutputFamily family);

// Version 2 is read strictly: a part may be absent, but a part that is present must be complete,
// and unknown fields are refused. Version 1 allowed any object in the provenance: if a part does
// not have the form that otss wrote, it counts as absent.
FitReport report_from_json(JsonFields& document, int version, OutputFamily family);

}  // namespace otss::internal
