// These functions compare ASCII texts without regard to case. They are used for file suffixes,
// names and words that users type.
#pragma once

#include <string>
#include <string_view>

namespace otss::internal {

std::string lower_case(std::string_view text);

// Returns true if lower_case(text) == lower. `lower` must be in lower case. The function allocates
// no memory.
bool equals_lower(std::string_view text, std::string_view lower);

}  // namespace otss::internal
