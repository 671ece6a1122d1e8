// The model file's field `uncertainty` (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss::internal {

// Null if the model has no uncertainty.
Json uncertainty_to_json(const AnyUncertainty& uncertainty);

// Throws an Error if the uncertainty does not fit `scorer`, which is the model's scorer.
AnyUncertainty uncertainty_from_json(JsonFields& document, const AnyScorer& scorer);

}  // namespace otss::internal
