// Estimates the exponent of a rate, with an interval. The exponent is the slope of log(mean error)
// against log(n).
#pragma once

#include <span>
#include <vector>

#include "base/bootstrap.hpp"

namespace otss::internal {

// The errors of one method at one sample size n. There is one error per seed.
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

// Fits log(mean error) to log(n) by weighted least squares. The weight of a point is the inverse of
// its variance (delta method). The interval is a percentile bootstrap. It resamples the seeds of
// each point separately, since logs of different sizes are independent, and keeps the weights.
// There must be at least two points with different n, and at least two seeds for each point.
SlopeFit fit_slope(std::span<const RatePoint> points, const BootstrapOptions& options = {});

}  // namespace otss::internal
