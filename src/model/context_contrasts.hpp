// This header compares the contexts of a segment with all contexts, column by column.
#pragma once

#include <span>
#include <vector>

#include "otss/data/encoder.hpp"
#include "otss/model/fit_report.hpp"

namespace otss::internal {

// Sums over some contexts: those of one segment, or all contexts.
struct ContextSums {
  double count = 0;
  std::vector<double> x, squares;  // one sum per encoded column
  std::vector<double> w;           // one sum of weights per factor

  ContextSums(std::size_t columns, std::size_t factors)
      : x(columns), squares(columns), w(factors) {}

  void add(std::span<const double> context, std::span<const double> weights);
};

// Returns the columns in which the members differ from all contexts, the largest difference first.
// Columns that are the same in all contexts are left out. Precondition: both counts are positive.
std::vector<ContextContrast> context_contrasts(const Encoder& encoder, const ContextSums& members,
                                               const ContextSums& all);

}  // namespace otss::internal
