// This header writes and reads the field `uncertainty` of the model file
// (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss::internal {

// Writes the uncertainty. Returns null if the model has no uncertainty.
Json uncertainty_to_json(const AnyUncertainty& uncertainty);

// Reads the uncertainty. `scorer` is the model's scorer. Throws an Error if the uncertainty does
// not match the scorer.
AnyUncertainty uncertainty_from_json(JsonFields& document, const AnyScorer& scorer);

}  // namespace otss::internal
