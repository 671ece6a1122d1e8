// Numbers as plan files write them.
#pragma once

#include <optional>
#include <string_view>

namespace otss {

// The whole text as a finite number; a plus in front is fine.
std::optional<double> plan_number(std::string_view text);

// The same for a bound: inf and infinity are numbers too, and so is what solvers write for them,
// any magnitude from 1e30.
std::optional<double> plan_bound(std::string_view text);

}  // namespace otss
