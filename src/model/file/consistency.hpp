// This header checks that the fields of a model file agree with each other. Each field can be valid
// by itself and yet contradict another field.
#pragma once

#include "base/json.hpp"
#include "model/fitted_parts.hpp"

namespace otss::internal {

// Throws an Error(kInput) that names a field if this field contradicts another one, so that no fit
// can have written both.
void check_consistency(const JsonFields& document, const Fitted::Parts& parts);

}  // namespace otss::internal
