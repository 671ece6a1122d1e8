// The model file's field `uncertainty` (docs/reference/model-file.md).
#pragma once

#include <memory>

#include "base/json.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss {

Json uncertainty_to_json(const Uncertainty* uncertainty);  // null for none

// `scorer` is the model's, which a normal law is about. Refuses what does not fit it.
std::shared_ptr<const Uncertainty> uncertainty_from_json(
    JsonFields& document, const std::shared_ptr<const Scorer>& scorer);

}  // namespace otss
