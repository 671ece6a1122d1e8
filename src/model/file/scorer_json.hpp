// What a model deploys, as fields of its document: `gate` and `experts` of a mixture, the
// `weight_map` of another kind, or `trees`.
#pragma once

#include <memory>

#include "base/json.hpp"
#include "otss/data/encoder.hpp"
#include "otss/model/method.hpp"
#include "otss/model/weight_map.hpp"

namespace otss {

void scorer_to_json(const Scorer& scorer, const Encoder& encoder, Json& document);

// Refuses a scorer that is not of the method's kind.
std::shared_ptr<const Scorer> scorer_from_json(JsonFields& document, Method method,
                                               const Encoder& encoder);

}  // namespace otss
