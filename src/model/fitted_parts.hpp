// What a Fitted is made of: filled in by learners and by the reader of model files.
#pragma once

#include <string>

#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"
#include "otss/model/fitted.hpp"

namespace otss {

struct Fitted::Parts {
  std::string method, estimator, family;
  Encoder encoder;
  Roles roles;
  AnyScorer scorer;
  Baseline baseline;
  AnyUncertainty uncertainty = {};  // of the weights
  std::string provenance;  // a JSON object: options, data, what was tried, what was chosen and why
};

}  // namespace otss
