// These functions look at the levels of a text column, and find what a user may have meant otherwise.
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

// Returns a note about two levels that differ only in upper and lower case, if there are such.
std::optional<std::string> note_on_case(const std::vector<std::string>& texts);

// Returns a note about numbers that are levels: because the table stores them as text, because of a
// few values that are not numbers, or because their form is not known ("20 kg").
std::optional<std::string> note_on_numbers(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules);

}  // namespace otss::internal
