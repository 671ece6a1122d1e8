// Numbers as text: writes a number so that it is bitwise equal when it is read back, and recognises
// numbers.
#pragma once

#include <string>
#include <string_view>

namespace otss {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Appends the shortest decimal number that is equal to `value` when it is read back. Whole numbers
// have no exponent ("100000", not "1e+05").
void append_number(std::string& text, double value);

// True also with spaces around the number or a plus before it, and for inf and nan.
bool is_number(std::string_view text);
// True if the number fits in 64 bits and has no plus and no spaces.
bool is_whole_number(std::string_view text);
// True for a code such as "007", which would lose its leading zeros as a number.
bool is_code(std::string_view text);

}  // namespace otss
