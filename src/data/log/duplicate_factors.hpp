// DuplicateFactors finds pairs of factors that are equal up to scale and offset. No log can
// identify the separate weights of such a pair.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/log/column_summary.hpp"

namespace otss::internal {

// Factors that are duplicates on all rows are also duplicates on every strip. So only the few pairs
// that are duplicates on the first strip are examined on later strips. For most logs this search
// takes little time.
class DuplicateFactors {
 public:
  explicit DuplicateFactors(std::size_t num_factors);

  // Adds one strip of every factor. The summaries must already include this strip.
  void observe(std::span<const double* const> strips, std::size_t num_rows,
               std::span<const ColumnSummary> summaries);

  // find returns a pair of factors with |correlation| > 1 - 1e-12 over all rows, or nothing if no
  // such pair exists. find_all returns every such pair.
  std::optional<std::pair<std::size_t, std::size_t>> find(
      std::span<const ColumnSummary> summaries) const;
  std::vector<std::pair<std::size_t, std::size_t>> find_all(
      std::span<const ColumnSummary> summaries) const;

 private:
  struct Pair {
    std::size_t first, second;
    double sum_products = 0;  // the sum of the products of the shifted values
  };
  std::vector<Pair> candidates_;
};

}  // namespace otss::internal
