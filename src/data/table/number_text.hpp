// Numbers as text: writing a number so that it reads back bitwise equal, and recognising numbers.
#pragma once

#include <string>
#include <string_view>

namespace otss {

// Appends the shortest decimal that reads back as the same number; whole numbers have no exponent
// ("100000", not "1e+05").
void append_number(std::string& text, double value);

bool is_number(std::string_view text);        // may have spaces around it and a plus; inf, nan too
bool is_whole_number(std::string_view text);  // fits in 64 bits; no plus, no spaces
bool is_code(std::string_view text);          // "007": as a number it would lose its leading zeros

}  // namespace otss
