// Bounds on the entries of a point.
#pragma once

#include <span>
#include <vector>

namespace otss::internal {

struct Box {
  // The bounds of each entry, with lower <= upper; infinite if an entry has no bound. If both
  // vectors are empty, there are no bounds at all.
  std::vector<double> lower = {};
  std::vector<double> upper = {};

  bool empty() const { return lower.empty(); }

  void project(std::span<double> x) const;

  // Returns the gradient with an entry set to 0 where x is on a bound and descent would leave the
  // box. The result is zero exactly where the first-order (Karush–Kuhn–Tucker) conditions hold.
  std::vector<double> projected_gradient(std::span<const double> x,
                                         std::span<const double> gradient) const;

  int num_active(std::span<const double> x) const;  // number of entries of x that are on a bound
};

}  // namespace otss::internal
