// This header prints text on stdout. Control characters are escaped, so a name from a file cannot
// disturb the terminal.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "otss/base/printable.hpp"

namespace otss::app {

// Prints text on stdout. The text may have several lines.
template <class... Args>
void print_text(fmt::format_string<Args...> form, Args&&... args) {
  fmt::print("{}", printable(fmt::format(form, std::forward<Args>(args)...), LineBreaks::kKeep));
}

// Returns a text such as "1 factor" or "3 factors".
inline std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace otss::app
