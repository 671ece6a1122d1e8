#pragma once

#include <memory>
#include <optional>

#include "learn/deploy/standardised_model.hpp"
#include "learn/problem/problem.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {

// Returns the scorer of a model that was fitted to `problem`. The scorer is converted from
// standardised units to the log's units, and its weights are inside their bounds.
AnyScorer deployable(const LoggedData& log, const Problem& problem, const StandardisedModel& model);

// Holds what a model records besides its scorer and baseline.
struct ModelRecord {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kMap;
  const FitReport& report;
  AnyUncertainty uncertainty = {};
  std::optional<Deviations> deviations = {};  // of units, if they were fitted
  // The variance of gaussian outcomes about their means, in the units of the problem. It is below 1
  // if deviations of units explain a part of the noise.
  double noise_variance = 1;
};

// Returns the whole model; `scorer` is what deployable() returned for `model`.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                AnyScorer scorer, const ModelRecord& record);

// Returns the whole model, without uncertainty; calls deployable() for the scorer.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                Method method, Estimator estimator, const FitReport& report);

}  // namespace otss::internal
