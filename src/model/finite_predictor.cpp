#include "model/finite_predictor.hpp"

#include <fmt/core.h>

#include <cmath>

#include "otss/base/error.hpp"

namespace otss::internal {

double finite_predictor(const Fitted& fitted, std::span<const double> x, std::span<const double> z,
                        const RowPlace& place, const UnitBelief* unit) {
  const double eta = fitted.predictor(x, z, unit);
  if (std::isfinite(eta)) return eta;
  throw Error(
      ErrorCode::kInput,
      fmt::format("{}: row {}: the model's prediction is not finite; give the columns in the "
                  "units of the log that the model was fitted on",
                  place.table, place.row + 1));
}

}  // namespace otss::internal
