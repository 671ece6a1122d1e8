// Shows how the results of methods depend on a number, such as the number of rows.
#pragma once

#include <string>
#include <vector>

#include "lab/figures/figure.hpp"
#include "lab/scoring/contest.hpp"

namespace otss::internal {

// A value of the number, and the results of all methods there. All points have the same methods.
struct CurvePoint {
  double value;
  const Contest* contest;
};

// The names of the methods to show, in this order. If it is empty, all methods are shown.
using ShownMethods = std::vector<std::string>;

// Returns a curve per method: the mean of `field` over the seeds, with its interval (seed_interval).
// The curves have no intervals if there are too few seeds.
std::vector<Series> method_curves(const std::vector<CurvePoint>& points, double Scorecard::*field,
                                  const ShownMethods& shown = {});

// Returns a table of regrets with one row per point. Its columns are the mean ± standard deviation
// of each method, and the difference between its reference (Contest::reference_of) and the method
// with a paired interval. `axis` is the title of the first column.
std::string curve_table(const std::string& axis, const std::vector<CurvePoint>& points,
                        const ShownMethods& shown = {});

}  // namespace otss::internal
