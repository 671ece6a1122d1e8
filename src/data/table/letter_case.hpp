// Compares ASCII letters without regard to case, for file suffixes, names and words that users
// type.
#pragma once

#include <string>
#include <string_view>

namespace otss::internal {

std::string lower_case(std::string_view text);

// True if lower_case(text) == lower. Does not allocate. `lower` must be in lower case.
bool equals_lower(std::string_view text, std::string_view lower);

}  // namespace otss::internal
