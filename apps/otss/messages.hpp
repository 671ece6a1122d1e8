// Messages on standard error. A message that cannot be written, because standard error is closed or
// its disk is full, is dropped: the result of the command does not depend on it.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "otss/base/printable.hpp"

namespace otss::app {

// Writes the text as it is.
void write_to_stderr(const std::string& text);

// Writes one line, "otss: KIND: TEXT", with control characters escaped.
template <class... Values>
void say(const char* kind, fmt::format_string<Values...> text, Values&&... values) {
  write_to_stderr(fmt::format("otss: {}: {}\n", kind,
                              printable(fmt::format(text, std::forward<Values>(values)...))));
}

template <class... Values>
void note(fmt::format_string<Values...> text, Values&&... values) {
  say("note", text, std::forward<Values>(values)...);
}

template <class... Values>
void warn(fmt::format_string<Values...> text, Values&&... values) {
  say("warning", text, std::forward<Values>(values)...);
}

}  // namespace otss::app
