// What a fit did, as its model keeps it: the parts every method has.
#pragma once

#include <span>

#include "learn/deploy/standardised_model.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/fit_report.hpp"

namespace otss {

// Software, options and data; the rest is still to come.
FitReport begin_report(const LoggedData& log, const FitOptions& options);

// Quality of the held-out predictions (eta per row in standardised units, NaN where there is none)
// and how the deployed model's gate is used over the log's contexts.
FitDiagnostics diagnose(const LoggedData& log, const Problem& problem,
                        std::span<const double> held_out_eta, const StandardisedModel& deployed);

}  // namespace otss
