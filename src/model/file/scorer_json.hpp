// This header converts a model's scorer to fields of the model file and back. The fields are `gate`
// and `experts` for a mixture, `weight_map` for a weight map without experts, and `trees` for
// boosted trees.
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

void scorer_to_json(const AnyScorer& scorer, const Encoder& encoder, Json& document);

// Reads the scorer. Throws an Error if models of this method never have a scorer of this kind.
AnyScorer scorer_from_json(JsonFields& document, Method method, const Encoder& encoder);

}  // namespace otss::internal
