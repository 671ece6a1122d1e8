// Bootstrap percentile intervals (Efron & Tibshirani 1993, ch. 13).
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

// Interval of sum(values) / sum(weights). A pair (value, weight) is one independent unit (a row, a
// group, a seed), and pairs are resampled. Empty `weights`: every weight is 1. More than 5000 pairs
// are first merged at random into 5000 units: the interval hardly changes and the time is bounded.
Interval bootstrap_ratio(std::span<const double> values, std::span<const double> weights,
                         const BootstrapOptions& options = {});

// Interval of any statistic, given its value on each resample: the central `level` of these values.
Interval percentile_interval(std::vector<double> resampled, double level);

}  // namespace otss
