// This header converts the report of a fit to the field `provenance` of the model file and back.
#pragma once

#include "base/json.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/output_family.hpp"

namespace otss::internal {

Json report_to_json(const FitReport& report, OutputFamily family);

// Reads the report. A file of version 2 is read strictly: a section of the report may be absent,
// but a section that is present must be complete and must not have unknown fields. A file of
// version 1 may have any object as its provenance: a section with an unexpected form counts as
// absent.
FitReport report_from_json(JsonFields& document, int version, OutputFamily family);

}  // namespace otss::internal
