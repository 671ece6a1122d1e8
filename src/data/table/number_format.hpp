// Numbers as people write them: "1,5", "20,000", "1.234,50", "$20,000", "12 %", "(300)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace otss {

// Returns the number as plain text ("20000", "-1.5"), or nothing if the text is not a number with
// this decimal sign ('.' or ','). The other sign, a space and an apostrophe may separate groups of
// three digits. A currency sign, a percent sign (12 % is 12) and parentheses for a negative number
// are accepted.
std::optional<std::string> plain_number(std::string_view text, char decimal);

// True if plain_number may change the text: it has a character that a plain number never has, or a
// sign that means something else with this decimal sign. Fast, for the loop over every cell.
bool may_be_decorated(std::string_view text, char decimal);

}  // namespace otss
