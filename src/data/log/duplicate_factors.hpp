// Finds factors that are equal up to scale and offset: no log can identify their separate weights.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/log/column_summary.hpp"

namespace otss {

// Factors that are duplicates on all rows are duplicates on every strip, so after the first strip
// only the few pairs that were duplicates there are examined: for most logs the test costs little.
class DuplicateFactors {
 public:
  explicit DuplicateFactors(std::size_t num_factors);

  // One strip of every factor; the summaries already include it.
  void observe(std::span<const double* const> strips, std::size_t num_rows,
               std::span<const ColumnSummary> summaries);

  // Two factors with |correlation| > 1 - 1e-12 over all rows, if any; and every such pair.
  std::optional<std::pair<std::size_t, std::size_t>> find(
      std::span<const ColumnSummary> summaries) const;
  std::vector<std::pair<std::size_t, std::size_t>> find_all(
      std::span<const ColumnSummary> summaries) const;

 private:
  struct Pair {
    std::size_t first, second;
    double sum_products = 0;  // of the shifted values
  };
  std::vector<Pair> candidates_;
};

}  // namespace otss
