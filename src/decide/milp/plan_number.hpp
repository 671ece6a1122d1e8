// Parses numbers of plan files.
#pragma once

#include <optional>
#include <string_view>

namespace otss::internal {

// Returns the whole text as a finite number, or nothing if it is not one. The text may begin with a
// plus sign.
std::optional<double> plan_number(std::string_view text);

// Returns the text as a bound, or nothing if it is not one. A bound may be infinite: "inf",
// "infinity", or a magnitude of at least 1e30, which solvers write for infinity.
std::optional<double> plan_bound(std::string_view text);

}  // namespace otss::internal
