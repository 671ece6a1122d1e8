// Percentile intervals by resampling (Efron & Tibshirani 1993, ch. 13).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace otss {

struct Interval {
  double lo = 0;
  double hi = 0;
};

struct BootstrapOptions {
  int resamples = 5000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

// Of sum(values) / sum(weights), resampling the pairs: each is one independent unit (a row, a
// group, a seed). `weights` empty: all one. Some thousand units are enough to know an interval:
// more are first put together at random into that many.
Interval bootstrap_ratio(std::span<const double> values, std::span<const double> weights,
                         const BootstrapOptions& options = {});

// Of any statistic, from its values on the resamples: what lies between the outer tails.
Interval percentile_interval(std::vector<double> resampled, double level);

}  // namespace otss
