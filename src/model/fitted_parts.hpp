// Fitted::Parts holds the contents of a Fitted. The fitting methods and the reader of model files
// fill the fields.
#pragma once

#include <optional>
#include <span>

#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/units.hpp"

namespace otss {

struct Fitted::Parts {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kMap;  // kAuto is not allowed here
  OutputFamily family;
  Encoder encoder;
  Roles roles;
  internal::AnyScorer scorer;
  Baseline baseline;
  bool mixes_probabilities = false;           // see Fitted::mixes_probabilities
  internal::AnyUncertainty uncertainty = {};  // the uncertainty of the weights
  std::optional<Deviations> deviations = {};  // see Fitted::deviations
  FitReport report;
};

}  // namespace otss

namespace otss::internal {

// Returns the standard deviations of the discrepancy of a gate that does not fit, one per factor.
// Empty if the gate fits, or if it was not tested.
inline std::span<const double> discrepancy_of(const Fitted::Parts& parts) {
  const std::optional<WeightChecks>& checks = parts.report.weight_checks;
  if (!checks || !checks->gate) return {};
  return checks->gate->discrepancy;
}

}  // namespace otss::internal
