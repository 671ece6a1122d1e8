#pragma once

#include <memory>

#include "learn/deploy/standardised_model.hpp"
#include "learn/problem/problem.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

// The scorer of a model fitted to `problem`, in standardised units, as a deployable one: weights in
// the log's own units, inside their bounds.
std::shared_ptr<const Scorer> deployable(const LoggedData& log, const Problem& problem,
                                         const StandardisedModel& model);

// What is said of a model besides its numbers.
struct ModelRecord {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kMap;
  const FitReport& report;
  std::shared_ptr<const Uncertainty> uncertainty = nullptr;
};

// The whole model around what deployable() made of it.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                std::shared_ptr<const Scorer> scorer, const ModelRecord& record);

// The same without uncertainty.
Fitted assemble(const LoggedData& log, const Problem& problem, const StandardisedModel& model,
                Method method, Estimator estimator, const FitReport& report);

}  // namespace otss
