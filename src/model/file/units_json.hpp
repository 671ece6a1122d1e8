// This header writes and reads the field `units` of the model file, which has the distribution of
// the deviations of units (docs/reference/model-file.md).
#pragma once

#include <cstddef>

#include "base/json.hpp"
#include "otss/model/units.hpp"

namespace otss::internal {

Json units_to_json(const Deviations& deviations);

// Reads the field. Throws an Error that names the field if the covariance does not have the size
// that `num_factors` factors need. check_deviations checks the values.
Deviations units_from_json(JsonFields fields, std::size_t num_factors);

}  // namespace otss::internal
