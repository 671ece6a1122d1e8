// A model's scorer as fields of its document: `gate` and `experts` for a mixture, `weight_map` for
// another weight map, or `trees`.
#pragma once

#include "base/json.hpp"
#include "model/maps/any_scorer.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/method.hpp"

namespace otss {

void scorer_to_json(const AnyScorer& scorer, const Encoder& encoder, Json& document);

// A scorer of a kind that the method does not produce is an Error.
AnyScorer scorer_from_json(JsonFields& document, Method method, const Encoder& encoder);

}  // namespace otss
