// This header makes text from files safe to print. Names, levels and ids from a file can contain
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

}  // namespace otss
