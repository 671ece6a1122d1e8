// Finds factors that are the same up to scale and offset: no data can tell their weights apart.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/log/column_summary.hpp"

namespace otss {

// Twins on all rows are twins on every strip, so after the first strip only the few pairs that
// still might be are looked at: the test costs nothing on a healthy log.
class DuplicateFactors {
 public:
  explicit DuplicateFactors(std::size_t num_factors);

  // One strip of every factor, already absorbed into its summary.
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
