// What a model deploys, as fields of its document: `gate` and `experts` of a mixture, the
// `weight_map` of another kind, or `trees`.
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/method.hpp"

namespace otss {

void scorer_to_json(const AnyScorer& scorer, const Encoder& encoder, Json& document);

// Refuses a scorer that is not of the method's kind.
AnyScorer scorer_from_json(JsonFields& document, Method method, const Encoder& encoder);

}  // namespace otss
