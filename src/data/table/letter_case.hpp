// Letters without their case (ASCII), for file endings, names and words people type either way.
#pragma once

#include <string>
#include <string_view>

namespace otss {

std::string lower_case(std::string_view text);
bool equals_lower(std::string_view text, std::string_view lower);  // without allocating

}  // namespace otss
