// The report of a fit as the `provenance` of a model's document.
#pragma once

#include "base/json.hpp"
#include "otss/model/fit_report.hpp"
#include "otss/model/output_family.hpp"

namespace otss {

Json report_to_json(const FitReport& report, OutputFamily family);

// Version 2 is read strictly: a part may be absent, but what is there is whole and nothing else is.
// Version 1 took any object here: a part that is not as otss wrote it counts as absent.
FitReport report_from_json(JsonFields& document, int version, OutputFamily family);

}  // namespace otss
