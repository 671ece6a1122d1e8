#include "report/trust/trust_facts.hpp"

#include <cmath>

#include "otss/model/units.hpp"
#include "report/trust/tried_facts.hpp"

namespace otss::internal {
namespace {

PredictedFamily predicted_family(const Fitted& fitted, const EvaluatedSample& rows) {
  return {fitted.family(), fitted.baseline().noise, rows.log_losses};
}

// Returns the quality on held-out rows. The fit does not record intervals.
QualityFacts held_out_quality(const PredictionQuality& quality) {
  return {.log_loss = {quality.log_loss},
          .squared_error = {quality.squared_error},
          .auc = {quality.auc},
          .explained = {quality.explained},
          .calibration_slope = {quality.calibration_slope}};
}

QualityFacts quality_on_log(const Fitted& fitted, const EvaluatedSample& rows) {
  const PredictedFamily predicted = predicted_family(fitted, rows);
  const PredictionQuality quality =
      prediction_quality(predicted, rows.eta, rows.outcomes, rows.row_weights);
  const QualityIntervals intervals = quality_intervals(predicted, rows.eta, rows.outcomes,
                                                       rows.row_weights, rows.groups, kReportLevel);
  const auto estimate = [](double value, const Bounds& bounds) {
    return Estimate{value, bounds.lo, bounds.hi};
  };
  return {.rows = rows.eta.size(),
          .log_loss = estimate(quality.log_loss, intervals.log_loss),
          .squared_error = estimate(quality.squared_error, intervals.squared_error),
          .auc = estimate(quality.auc, intervals.auc),
          .explained = estimate(quality.explained, intervals.explained),
          .calibration_slope = estimate(quality.calibration_slope, intervals.calibration_slope)};
}

std::optional<CalibrationFacts> calibration_of(const std::vector<PredictionBin>& bins,
                                               OutputFamily family, bool held_out) {
  if (bins.empty()) return std::nullopt;
  CalibrationFacts facts{.held_out = held_out};
  for (const PredictionBin& bin : bins) {
    const Bounds bounds = bin.interval(family, kReportLevel);
    facts.rows += bin.rows;
    facts.bins.push_back({bin.predicted, {bin.observed, bounds.lo, bounds.hi}, bin.rows});
  }
  return facts;
}

// The calibration on LOG is a fair test only if the model was not fitted on LOG. Otherwise the
// calibration on the held-out rows of the fit is shown.
std::optional<CalibrationFacts> calibration_facts(const Fitted& fitted, const LogPass* pass) {
  const auto& diagnostics = fitted.report().diagnostics;
  const bool has_held_out = diagnostics && !diagnostics->calibration.empty();
  const bool has_log = pass != nullptr && pass->evaluated;
  if (has_held_out && (!has_log || pass->in_sample))
    return calibration_of(diagnostics->calibration, fitted.family(), true);
  if (!has_log) return std::nullopt;
  const EvaluatedSample& rows = *pass->evaluated;
  return calibration_of(calibration_bins(predicted_family(fitted, rows), rows.eta, rows.outcomes,
                                         rows.row_weights, rows.groups),
                        fitted.family(), false);
}

std::optional<GateUseFacts> gate_facts(const Fitted& fitted, const LogPass* pass) {
  if (pass != nullptr && pass->gate)
    return GateUseFacts{FactSource::kLog, pass->top_share, *pass->gate};
  const auto& diagnostics = fitted.report().diagnostics;
  if (pass != nullptr || !diagnostics || !diagnostics->gate) return std::nullopt;
  return GateUseFacts{FactSource::kTraining, {}, *diagnostics->gate};
}

// Returns the standard deviation of units' weights around w(x), in the log's units.
std::vector<double> deviations_of_weights(const Fitted& fitted) {
  const Deviations* deviations = fitted.deviations();
  std::vector<double> result;
  if (deviations == nullptr || deviations->covariance.empty()) return result;
  const std::vector<FactorColumn>& factors = fitted.encoder().factors;
  const std::size_t size = factors.size() + 1;
  for (std::size_t j = 0; j < factors.size(); ++j) {
    const double variance = deviations->covariance[(j + 1) * size + j + 1];
    result.push_back(std::sqrt(variance) / factors[j].scale);
  }
  return result;
}

std::vector<std::string> warnings_of(const Fitted& fitted, const LogPass* pass) {
  std::vector<std::string> warnings;
  const std::string& uncertainty = fitted.report().uncertainty_warning;
  if (!uncertainty.empty()) warnings.push_back(uncertainty);
  if (fitted.report().weight_checks) {
    for (std::string& sentence : failed_checks(*fitted.report().weight_checks))
      warnings.push_back(std::move(sentence));
  }
  if (pass == nullptr) return warnings;
  if (pass->in_sample && pass->evaluated) {
    warnings.emplace_back(
        "the model was fitted on the rows of this log, so its predictions look better on them than "
        "on new rows");
  }
  const std::string& group = fitted.roles().group;
  if (pass->evaluated && pass->group.empty() && !group.empty()) {
    warnings.push_back("the log has no column '" + group +
                       "', which held the groups when the model was fitted, so the intervals treat "
                       "all rows as independent");
  }
  return warnings;
}

}  // namespace

TrustFacts trust_facts(const Fitted& fitted, const LogPass* pass) {
  const FitReport& report = fitted.report();
  TrustFacts facts;
  if (report.diagnostics) facts.held_out = held_out_quality(report.diagnostics->quality);
  if (pass != nullptr && pass->evaluated) facts.on_log = quality_on_log(fitted, *pass->evaluated);
  facts.in_sample = pass != nullptr && pass->in_sample;
  facts.calibration = calibration_facts(fitted, pass);
  facts.tried = tried_facts(fitted);
  facts.gate = gate_facts(fitted, pass);
  facts.findings = report.findings;
  if (pass != nullptr) facts.unseen = pass->summary.unknown;
  facts.warnings = warnings_of(fitted, pass);
  if (report.deviations) {
    facts.units = UnitsFacts{.weight_sd = deviations_of_weights(fitted)};
    if (pass != nullptr) facts.units->known_rows = pass->known_units;
  }
  return facts;
}

}  // namespace otss::internal
