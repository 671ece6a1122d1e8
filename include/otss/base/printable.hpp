// Makes text from files safe to show: names, levels and ids can hold anything, also the escape
// sequences that move a terminal's cursor or change its title.
#pragma once

#include <string>
#include <string_view>

namespace otss {

// What printable() does with line breaks.
enum class LineBreaks { kEscape, kKeep };

// Returns the text with every control character written as an escape: \x1b for ESC, \x0a for a line
// break, \x00 for NUL, \u009b for the one-character CSI. All other characters stay as they are.
std::string printable(std::string_view text, LineBreaks line_breaks = LineBreaks::kEscape);

}  // namespace otss
