// Fits hard regions to a log of the rate family (rate_family.hpp): [0, 1] is divided into M equal
// bins, and each bin has weights of its own.
#pragma once

#include <vector>

#include "lab/theory/logistic.hpp"
#include "lab/theory/rate_family.hpp"

namespace otss::internal {

struct HardRegions {
  std::vector<RateWeights> weights;  // of each bin

  int num_regions() const { return static_cast<int>(weights.size()); }
  const RateWeights& at(double x) const {
    return weights[std::min<std::size_t>(weights.size() - 1,
                                         static_cast<std::size_t>(x * num_regions()))];
  }
};

// Fits a logistic regression in each bin. Every bin must have rows.
HardRegions fit_hard_regions(const RateLog& log, int num_regions, LogisticFit how);

// Returns the number of bins whose bias-reduced fits have the lowest log-loss in five-fold
// cross-validation. The candidates are a fixed list of numbers up to 24, without those that would
// leave bins with fewer than 40 rows on average.
int choose_num_regions(const RateLog& log);

}  // namespace otss::internal
