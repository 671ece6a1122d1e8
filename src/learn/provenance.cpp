#include "learn/provenance.hpp"

#include <fmt/core.h>

#include "base/version.hpp"
#include "learn/option_check.hpp"

namespace otss {

Json provenance_of(const LoggedData& log, const FitOptions& options) {
  return {{"software", fmt::format("otss {}", kVersion)},
          {"options", options_to_json(options)},
          {"data", {{"rows", log.num_rows()}, {"fingerprint", log.fingerprint()}}}};
}

Json heterogeneity_to_json(const MeanAndError& gain) {
  constexpr double kZ95 = 1.959963984540054;
  const double lo = gain.mean - kZ95 * gain.standard_error;
  const double hi = gain.mean + kZ95 * gain.standard_error;
  return {{"supported", lo > 0}, {"gain", gain.mean}, {"lo", lo}, {"hi", hi}};
}

}  // namespace otss
