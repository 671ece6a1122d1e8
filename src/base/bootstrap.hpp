// This header computes bootstrap intervals: percentile intervals (Efron & Tibshirani 1993, ch. 13)
// and BCa intervals (ch. 14).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace otss::internal {

struct Interval {
  double lo = 0;
  double hi = 0;
};

struct BootstrapOptions {
  int resamples = 5000;
  double level = 0.95;
  std::uint64_t seed = 1;
};

// Returns the interval of sum(values) / sum(weights). A pair (value, weight) is one independent
// unit (a row, a group, a seed), and the bootstrap resamples these pairs. If `weights` is empty,
// every weight is 1. If there are more than 5000 pairs, they are first merged at random into 5000
// units. Merging limits the time and hardly changes the interval.
Interval bootstrap_ratio(std::span<const double> values, std::span<const double> weights,
                         const BootstrapOptions& options = {});

// Returns the BCa interval of the mean of few independent values, at least two. A percentile
// interval of few values is too narrow, because the variance within resamples is too small. So the
// tail probability is expanded as by Hesterberg (2015, section 4.1): for values from a normal
// distribution, the interval is about that of Student's t.
Interval bca_interval(std::span<const double> values, const BootstrapOptions& options = {});

// Returns the interval of a statistic. `resampled` has the value of the statistic on each resample.
// The interval contains the central share `level` of these values.
Interval percentile_interval(std::vector<double> resampled, double level);

}  // namespace otss::internal
