// Whether the parts of a model file belong together. Each part can be valid by itself and
// contradict another one.
#pragma once

#include "base/json.hpp"
#include "model/fitted_parts.hpp"

namespace otss::internal {

// Throws Error(kInput) that names the field if two parts contradict each other: if no fit could
// have written them together.
void check_consistency(const JsonFields& document, const Fitted::Parts& parts);

}  // namespace otss::internal
