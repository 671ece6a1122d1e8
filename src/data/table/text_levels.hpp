// These functions find levels of a text column that the user may have meant differently, such as
// numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "otss/data/reading_rules.hpp"

namespace otss::internal {

struct TextLevel {
  std::size_t first_row = 0;
  double num_rows = 0;
  double weight = 0;
};

// Finds a text in a column that was probably meant to hold numbers. If nearly all values of the
// column are numbers, returns the code of the first value that is not a number. Otherwise returns
// std::nullopt. `texts` and `levels` have one entry per level of the column; the code of a level is
// its index.
std::optional<std::size_t> find_stray_text(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules);

// Returns a note if two levels differ only in upper and lower case.
std::optional<std::string> note_on_case(const std::vector<std::string>& texts);

// Returns a note if a level is a sign that usually means a missing value, such as "?"
// (is_placeholder). In a column of texts such a sign is a level like any other.
std::optional<std::string> note_on_missing(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels);

// Returns a note if levels are probably numbers. Numbers become levels if the table stores them as
// text, if a few other values are not numbers, or if the form of the numbers is unknown ("20 kg").
std::optional<std::string> note_on_numbers(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules);

}  // namespace otss::internal
