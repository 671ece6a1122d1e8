// Finds a step along a descent direction that satisfies the strong Wolfe conditions, or the
// approximate Wolfe conditions of Hager & Zhang (2005). A step can meet the latter conditions even
// if rounding errors hide the decrease.
#pragma once

#include <functional>

namespace otss::internal {

struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;  // derivative along the direction
};

struct LineSearchOptions {
  double sufficient_decrease = 1e-4;
  double curvature = 0.9;
  // Values that differ by less than this fraction of |f(0)| count as equal up to rounding errors.
  double value_noise = 1e-12;
  int max_evaluations = 20;
};

struct LineSearchResult {
  LinePoint point;
  bool success = false;
};

// `at(step)` returns the value and the slope at this step. `origin.slope` must be negative.
LineSearchResult line_search(const std::function<LinePoint(double step)>& at,
                             const LinePoint& origin, double first_step,
                             const LineSearchOptions& options);

}  // namespace otss::internal
