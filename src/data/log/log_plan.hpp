// Notes about the texts of a context, which are written once all rows of a log are read. (The plan
// of a log itself, plan_log, is declared in otss/data/logged_data.hpp.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/log/log_layout.hpp"

namespace otss::internal {

struct TextLevel {
  std::size_t first_row = 0;
  double num_rows = 0;
  double weight = 0;
};

// If a column was read as text although nearly all its values are numbers, returns the code of the
// first value that is not a number; otherwise std::nullopt.
std::optional<std::size_t> find_stray_text(const std::vector<std::string>& texts,
                                           const std::vector<TextLevel>& levels,
                                           const ReadingRules& rules);

// Returns sentences about levels that a user may have meant otherwise: levels that differ only in
// upper and lower case, and numbers that are levels because of one other value.
std::vector<std::string> notes_on_levels(const LogLayout& layout, const std::string& context,
                                         const std::vector<std::string>& texts,
                                         const std::vector<TextLevel>& levels);

}  // namespace otss::internal
