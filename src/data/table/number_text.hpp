// This header writes numbers as text and recognises texts that are numbers. A number that is
// written and read back is bitwise the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace otss::internal {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Appends the shortest decimal number that is equal to `value` when it is read back. Whole numbers
// have no exponent ("100000", not "1e+05").
void append_number(std::string& text, double value);

// Returns the number that the text stands for, or nothing if the text is not a number. Spaces
// around the number and a plus before it are accepted. A number outside the range of f64 becomes an
// infinity or 0.
std::optional<double> parse_number(std::string_view text);
// Returns the number that parse_number returns, if the text is a short number such as -12.5: digits
// with or without a sign and a decimal point, and a value that f64 operations give exactly. Returns
// nothing for every other text. This function is several times as fast as parse_number.
std::optional<double> short_number(std::string_view text);
// Returns true if parse_number accepts the text. It also accepts inf and nan.
bool is_number(std::string_view text);
// Returns true if the text is a whole number that fits in 64 bits and has no plus sign and no
// spaces.
bool is_whole_number(std::string_view text);
// Returns true for a code such as "007". Read as a number, a code would lose its leading zeros.
bool is_code(std::string_view text);

}  // namespace otss::internal
