#pragma once

#include <memory>

#include "learn/deploy/standardised_model.hpp"
#include "learn/problem/problem.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// The scorer of a model fitted to `problem`, in standardised units, as a deployable one: weights in
// the log's own units, inside their bounds.
AnyScorer deployable(const LoggedData& log, const Problem& problem, const StandardisedModel& model);

// What is said of a model besides its numbers.
struct ModelRecord {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kMap;
  const FitReport& report;
  AnyUncertainty uncertainty = {};
};

// The whole model around what deployable() made of it.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                AnyScorer scorer, const ModelRecord& record);

// The same without uncertainty.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                Method method, Estimator estimator, const FitReport& report);

}  // namespace otss
