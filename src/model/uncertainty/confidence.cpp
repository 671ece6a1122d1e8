#include "model/uncertainty/confidence.hpp"

#include <fmt/core.h>

#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {

void require_confidence(double level) {
  if (is_confidence(level)) return;
  throw Error(
      ErrorCode::kUsage,
      fmt::format("{} is not a confidence level; give a number above 0 and at most {}, such as 0.9",
                  level, kHighestConfidence));
}

}  // namespace otss::internal
