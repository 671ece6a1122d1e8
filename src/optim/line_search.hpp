// Finds a step along a descent direction. The step satisfies the strong Wolfe conditions, or the
// approximate Wolfe conditions of Hager & Zhang (2005). A step can satisfy the approximate
// conditions even if rounding errors hide the decrease.
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
  // Two values of the function count as equal if they differ by less than this fraction of |f(0)|,
  // where f(0) is the value at step 0. Rounding errors cause such differences.
  double value_noise = 1e-12;
  int max_evaluations = 20;
};

struct LineSearchResult {
  LinePoint point;
  bool success = false;
};

// Searches for a step. `at(step)` returns the value and the slope at this step. `origin` is the
// point at step 0; its slope must be negative.
LineSearchResult line_search(const std::function<LinePoint(double step)>& at,
                             const LinePoint& origin, double first_step,
                             const LineSearchOptions& options);

}  // namespace otss::internal
