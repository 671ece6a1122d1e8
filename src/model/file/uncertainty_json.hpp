// The model file's field `uncertainty` (docs/reference/model-file.md).
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss {

Json uncertainty_to_json(const AnyUncertainty& uncertainty);  // null for none

// `scorer` is the model's, which a normal law is about. Refuses what does not fit it.
AnyUncertainty uncertainty_from_json(JsonFields& document, const AnyScorer& scorer);

}  // namespace otss
