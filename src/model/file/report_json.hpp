// The report of a fit as the `provenance` of a model's document.
#pragma once

#include "base/json.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

Json report_to_json(const FitReport& report, OutputFamily family);

// Version 2 is read strictly: a part may be absent, but a part that is present must be complete,
// and unknown fields are refused. Version 1 allowed any object here: a part that does not have the
// form which otss wrote counts as absent.
FitReport report_from_json(JsonFields& document, int version, OutputFamily family);

}  // namespace otss
