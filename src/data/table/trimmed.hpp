// Removes white space around a text.
#pragma once

#include <string_view>

namespace otss {

// Returns the text without the spaces, tabs, line ends and no-break spaces around it.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
  while (true) {
    const std::size_t before = text.size();
    while (!text.empty() && kSpaces.find(text.front()) != std::string_view::npos)
      text.remove_prefix(1);
    while (!text.empty() && kSpaces.find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    if (text.starts_with(kNoBreakSpace)) text.remove_prefix(kNoBreakSpace.size());
    if (text.ends_with(kNoBreakSpace)) text.remove_suffix(kNoBreakSpace.size());
    if (text.size() == before) return text;
  }
}

}  // namespace otss
