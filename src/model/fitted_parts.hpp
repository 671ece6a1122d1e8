// What a Fitted is made of: filled in by learners and by the reader of model files.
#pragma once

#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct Fitted::Parts {
  Method method = Method::kOtss;
  Estimator estimator = Estimator::kMap;  // never kAuto
  OutputFamily family;
  Encoder encoder;
  Roles roles;
  AnyScorer scorer;
  Baseline baseline;
  bool mixes_probabilities = false;  // of the experts, instead of their linear predictors
  AnyUncertainty uncertainty = {};   // of the weights
  FitReport report;
};

}  // namespace otss
