// This header reads numbers from the text of plan files.
#pragma once

#include <optional>
#include <string_view>

namespace otss::internal {

// Returns the text as a finite number, or nothing if the text is not a finite number. The text may
// begin with a plus sign.
std::optional<double> plan_number(std::string_view text);

// Returns the text as a bound, or nothing if the text is not a bound. A bound may be infinite. The
// texts "inf" and "infinity" mean infinity. A number of 1e30 or more means infinity too, because
// solvers write such numbers for infinity. Negative infinity is written in the same ways with a
// minus sign.
std::optional<double> plan_bound(std::string_view text);

// Returns the bound that a number means. A number of 1e30 or more means infinity, a number of -1e30
// or less means -infinity, and any other number means itself.
double plan_bound(double value);

}  // namespace otss::internal
