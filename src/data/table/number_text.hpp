// Numbers as text: written so that they read back as the same bits, and recognised in a file.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace otss {

// Appends the shortest decimal that round-trips; whole numbers without exponent ("100000", not
// "1e+05").
void append_number(std::string& text, double value);

// Words for a number that is missing; case does not matter.
inline constexpr std::array<std::string_view, 5> kMissingWords = {"na", "nan", "null", "n/a",
                                                                  "none"};
bool is_missing_word(std::string_view text);

bool is_number(std::string_view text);        // spaces around it, a plus, inf and nan are fine
bool is_whole_number(std::string_view text);  // of 64 bits, and written as such: no plus, no spaces
bool is_code(std::string_view text);          // "007": a number would lose its leading zeros

}  // namespace otss
