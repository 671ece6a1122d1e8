// Defines bounds on the entries of a vector.
#pragma once

#include <span>
#include <vector>

namespace otss::internal {

struct Box {
  // The bounds of each entry, with lower <= upper. A missing bound is infinite. If both vectors are
  // empty, no entry has bounds.
  std::vector<double> lower = {};
  std::vector<double> upper = {};

  bool empty() const { return lower.empty(); }

  void project(std::span<double> x) const;

  // Returns a copy of `gradient` in which some entries are set to 0: those where x is on a bound
  // and descent would leave the box. The result is zero exactly where the first-order
  // (Karush–Kuhn–Tucker) conditions hold.
  std::vector<double> projected_gradient(std::span<const double> x,
                                         std::span<const double> gradient) const;

  int num_active(std::span<const double> x) const;  // number of entries of x that are on a bound
};

}  // namespace otss::internal
