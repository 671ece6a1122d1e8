// DuplicateFactors finds pairs of factors that are equal up to scale and offset. No log can
// identify the separate weights of such a pair.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/log/column_summary.hpp"
#include "otss/base/ranks.hpp"

namespace otss::internal {

// Factors that are duplicates on all rows are also duplicates on every strip. So only the few pairs
// that are duplicates on the first strip are examined on later strips. For most logs this search
// takes little time.
class DuplicateFactors {
 public:
  explicit DuplicateFactors(std::size_t num_factors);

  // Adds one strip of every factor. `strip` is the number of the strip, counted from 0. The shift
  // and the unit of each summary must have been chosen. Several threads may call this function at
  // the same time, with strips in any order.
  void observe(std::size_t strip, std::span<const double* const> columns, std::size_t num_rows,
               std::span<const ColumnSummary> summaries);

  // Keeps the pairs that may be duplicates on all ranks, which have different strips of the same
  // factors, and adds their sums.
  void add_ranks(Ranks& ranks);

  // find returns a pair of factors with |correlation| > 1 - 1e-12 over all rows, or nothing if no
  // such pair exists. find_all returns every such pair.
  std::optional<std::pair<std::size_t, std::size_t>> find(
      std::span<const ColumnSummary> summaries) const;
  std::vector<std::pair<std::size_t, std::size_t>> find_all(
      std::span<const ColumnSummary> summaries) const;

 private:
  struct Pair {
    std::size_t first, second;
    // For each strip, the sum of the products of the shifted values. The sums are added in the
    // order of the strips, so that the result does not depend on the number of threads.
    std::map<std::size_t, double> sums_of_products = {};
  };
  std::mutex mutex_;  // protects candidates_
  std::vector<Pair> candidates_;
};

}  // namespace otss::internal
