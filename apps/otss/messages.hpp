// This header writes messages to standard error. If a message cannot be written, because standard
// error is closed or its disk is full, the message is dropped and the command continues.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "otss/base/printable.hpp"

namespace otss::app {

// Writes the text without any change.
void write_to_stderr(const std::string& text);

// Writes the line "otss: KIND: TEXT". Control characters in the text are escaped, and passwords of
// databases are left out.
template <class... Values>
void say(const char* kind, fmt::format_string<Values...> text, Values&&... values) {
  const std::string message = printable(fmt::format(text, std::forward<Values>(values)...));
  write_to_stderr(fmt::format("otss: {}: {}\n", kind, without_passwords(message)));
}

// Notes and warnings are not written any more. Of several processes that do the same, only one
// should write them.
void mute_notes();
bool are_notes_muted();

template <class... Values>
void note(fmt::format_string<Values...> text, Values&&... values) {
  if (!are_notes_muted()) say("note", text, std::forward<Values>(values)...);
}

template <class... Values>
void warn(fmt::format_string<Values...> text, Values&&... values) {
  if (!are_notes_muted()) say("warning", text, std::forward<Values>(values)...);
}

}  // namespace otss::app
