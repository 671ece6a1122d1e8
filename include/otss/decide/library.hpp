// The decisions every context may choose from.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "otss/data/table.hpp"

namespace otss {

struct Library {
  std::vector<std::string> ids;
  int num_factors = 0;
  std::vector<double> factors;  // size()×J, row per decision, in the log's units

  std::size_t size() const { return ids.size(); }
  std::span<const double> row(std::size_t index) const {
    return std::span(factors).subspan(index * num_factors, num_factors);
  }
};

// The named columns of a table, in its row order. No rows, an unknown column, a missing or repeated
// id, and a factor that is missing or not finite are errors naming the file, row and column.
Library read_library(const TableReader& reader, const std::string& id_column,
                     const std::vector<std::string>& factors);

}  // namespace otss
