// What commands print on stdout: text in which names from files are safe to show.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "otss/base/printable.hpp"

namespace otss::app {

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
