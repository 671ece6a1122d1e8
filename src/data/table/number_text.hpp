// Numbers as text: written so that they read back as the same bits, and recognised in a file.
#pragma once

#include <string>
#include <string_view>

namespace otss {

// Appends the shortest decimal that round-trips; whole numbers without exponent ("100000", not
// "1e+05").
void append_number(std::string& text, double value);

bool is_number(std::string_view text);        // spaces around it, a plus, inf and nan are fine
bool is_whole_number(std::string_view text);  // of 64 bits, and written as such: no plus, no spaces
bool is_code(std::string_view text);          // "007": a number would lose its leading zeros

}  // namespace otss
