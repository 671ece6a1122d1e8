// Converts a model's scorer to fields of the model's document and back. The fields are `gate` and
// `experts` for a mixture, `weight_map` for a weight map without experts, or `trees`.
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

void scorer_to_json(const AnyScorer& scorer, const Encoder& encoder, Json& document);

// Throws an Error if the scorer is of a kind that the method does not produce.
AnyScorer scorer_from_json(JsonFields& document, Method method, const Encoder& encoder);

}  // namespace otss::internal
