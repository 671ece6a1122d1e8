// The exponent of a rate, with an interval: log mean error on log n.
#pragma once

#include <span>
#include <vector>

#include "base/bootstrap.hpp"

namespace otss {

// Errors of one method at one sample size, one per seed.
struct RatePoint {
  double n = 0;
  std::vector<double> errors = {};

  double mean() const;
};

struct SlopeFit {
  double slope = 0;
  double lo = 0;
  double hi = 0;
  double intercept = 0;  // the line is exp(intercept) n^slope

  bool contains(double value) const { return lo <= value && value <= hi; }
};

// Least squares of log mean error on log n, each point weighted by the inverse of its variance
// (delta method). The interval is a percentile bootstrap: the seeds of each point are resampled on
// their own, since logs of different sizes are independent; the weights stay as they are.
// Points are at least two, of different n; each with two seeds or more.
SlopeFit fit_slope(std::span<const RatePoint> points, const BootstrapOptions& options = {});

}  // namespace otss
