// Numbers as text that reads back as the same bits.
#pragma once

#include <string>

namespace otss {

// Appends the shortest decimal that round-trips; whole numbers without exponent ("100000", not
// "1e+05").
void append_number(std::string& text, double value);

}  // namespace otss
