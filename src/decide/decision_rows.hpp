// Reads what libraries and candidate tables have in common: text columns that must be there, and
// factors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

struct TextColumn {
  std::string name;
  std::string option;  // as the user gave it, for messages
};

struct DecisionRows {
  std::size_t num_rows = 0;
  std::vector<std::vector<std::string>> texts;  // per asked column
  std::vector<double> factors;                  // rows×J
};

// No rows, an unknown column, a missing text, and a factor that is missing or not finite are
// errors.
DecisionRows read_decision_rows(const TableReader& reader, const std::vector<TextColumn>& texts,
                                const std::vector<std::string>& factors);

}  // namespace otss
