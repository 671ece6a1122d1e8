// This header makes text safe to print. Names, levels and ids from a file can contain
// any character. They can even contain escape sequences that move a terminal's cursor or change its
// title.
#pragma once

#include <string>
#include <string_view>

namespace otss {

// Says what printable() does with line breaks.
enum class LineBreaks { kEscape, kKeep };

// Returns the text with every control character replaced by an escape: \x1b for ESC, \x0a for a
// line break, \x00 for NUL, \u009b for the control character U+009B. With LineBreaks::kKeep, line
// breaks are not replaced.
std::string printable(std::string_view text, LineBreaks line_breaks = LineBreaks::kEscape);

// Returns the text without the user names and passwords of database addresses such as
// postgresql://user:password@host/database. Only parameters that cannot hold a secret stay in an
// address. All messages pass through this function.
std::string without_passwords(std::string_view text);

}  // namespace otss
