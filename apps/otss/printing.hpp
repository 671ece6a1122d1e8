// What commands print: lines on stderr, and names from files that are safe to show.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otss/base/printable.hpp"

namespace otss::app {

// Prints "otss: note: …" (or "otss: warning: …") as one line on stderr.
inline void note(std::string_view message) {
  fmt::print(stderr, "otss: note: {}\n", printable(message));
}
inline void warn(std::string_view message) {
  fmt::print(stderr, "otss: warning: {}\n", printable(message));
}

// Prints text of several lines on stdout.
template <class... Args>
void print_text(fmt::format_string<Args...> form, Args&&... args) {
  fmt::print("{}", printable(fmt::format(form, std::forward<Args>(args)...), LineBreaks::kKeep));
}

// Such as "1 factor" or "3 factors".
inline std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace otss::app
