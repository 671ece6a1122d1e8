// The one check of a confidence level that a caller gives.
#pragma once

namespace otss::internal {

// Throws Error(kUsage) unless is_confidence(level) (otss/model/uncertainty.hpp).
void require_confidence(double level);

}  // namespace otss::internal
