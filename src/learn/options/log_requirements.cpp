#include "learn/options/log_requirements.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/maps/mixture_layout.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {

void require_rows(std::size_t num_rows, const Encoder& encoder, int experts) {
  const std::size_t needed =
      MixtureLayout{encoder.num_encoded(), static_cast<int>(encoder.factors.size()), experts}
          .size();
  if (num_rows >= needed) return;
  throw Error(
      ErrorCode::kInput,
      fmt::format("the log has {} row{}, fewer than the {} parameters of a model with {} {}; "
                  "add rows, name fewer columns in --context and --factors, or use a smaller "
                  "number in --experts",
                  num_rows, num_rows == 1 ? "" : "s", needed, experts,
                  experts == 1 ? "expert" : "experts"));
}

void require_outcomes(const LoggedData& log, OutputFamily family) {
  const auto bad =
      std::ranges::find_if_not(log.outcomes(), [&](float y) { return family.allows(y); });
  if (bad == log.outcomes().end()) return;
  throw Error(ErrorCode::kInput,
              fmt::format("outcome '{}' is {} in row {}, but --family {} needs {}; correct this "
                          "outcome, or choose another --family",
                          log.roles().outcome, *bad, bad - log.outcomes().begin() + 1,
                          family.name(), family.allowed()));
}

}  // namespace otss::internal
