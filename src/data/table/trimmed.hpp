// This header removes white space around a text.
#pragma once

#include <string_view>

namespace otss::internal {

// Returns the text without the spaces, tabs, line ends and no-break spaces around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty()) {
    const bool has_space = is_space(text.front());
    if (!has_space && !text.starts_with(kNoBreakSpace)) break;
    text.remove_prefix(has_space ? 1 : kNoBreakSpace.size());
  }
  while (!text.empty()) {
    const bool has_space = is_space(text.back());
    if (!has_space && !text.ends_with(kNoBreakSpace)) break;
    text.remove_suffix(has_space ? 1 : kNoBreakSpace.size());
  }
  return text;
}

}  // namespace otss::internal
