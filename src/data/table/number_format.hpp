// This header reads numbers as people write them: "1,5", "20,000", "1.234,50", "$20,000", "12 %",
// "(300)".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace otss::internal {

// Returns the number as plain text ("20000", "-1.5"), or nothing if the text is not a number with
// this decimal sign ('.' or ','). The other sign, a space and an apostrophe may separate groups of
// three digits. A currency sign, a percent sign (12 % is 12) and parentheses for a negative number
// are accepted.
std::optional<std::string> plain_number(std::string_view text, char decimal);

// Returns the value of a number that plain_number accepts, or nothing. This function is called for
// every number of a CSV file, so it tries the fast case first, a plain number.
std::optional<double> parse_written_number(std::string_view text, char decimal);

}  // namespace otss::internal
