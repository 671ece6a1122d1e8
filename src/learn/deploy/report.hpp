// Makes the parts of a FitReport that every method has.
#pragma once

#include <span>

#include "learn/deploy/standardised_model.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Returns a report with software, options and data. All other fields are empty.
FitReport begin_report(const LoggedData& log, const FitOptions& options);
FitReport begin_report(const FittedData& data, const FitOptions& options);

// Returns the quality and the calibration of the held-out predictions, and how the deployed model's gate distributes
// the log's contexts over the experts. `held_out_eta` has one linear predictor per row, in
// standardised units, and NaN for rows that are never held out.
FitDiagnostics diagnose(const LoggedData& log, const Problem& problem,
                        std::span<const double> held_out_eta, const StandardisedModel& deployed);

// Rows with held-out predictions. `eta` has one linear predictor per row, as above.
struct HeldOutRows {
  const LoggedData& log;
  const Problem& problem;  // of the same rows
  std::span<const double> eta;
};

// Returns the same diagnostics if the held-out rows and the contexts are those of different samples of
// a log.
FitDiagnostics diagnose(const HeldOutRows& held_out, const LoggedData& contexts,
                        const StandardisedModel& deployed);

}  // namespace otss::internal
