// Parses numbers of plan files.
#pragma once

#include <optional>
#include <string_view>

namespace otss {

// The whole text as a finite number; it may begin with a plus.
std::optional<double> plan_number(std::string_view text);

// The same for a bound, which may be infinite: "inf", "infinity", or a magnitude of at least 1e30,
// which solvers write for infinity.
std::optional<double> plan_bound(std::string_view text);

}  // namespace otss
