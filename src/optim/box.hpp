// Bounds on the entries of a point.
#pragma once

#include <span>
#include <vector>

namespace otss {

struct Box {
  // Infinite where there is no bound; both empty: no bounds at all. lower <= upper everywhere.
  std::vector<double> lower = {};
  std::vector<double> upper = {};

  bool empty() const { return lower.empty(); }

  void project(std::span<double> x) const;

  // The gradient without the entries that only push against a bound x stands on. It is zero just
  // where the first-order (Karush–Kuhn–Tucker) conditions hold.
  std::vector<double> projected_gradient(std::span<const double> x,
                                         std::span<const double> gradient) const;

  int num_active(std::span<const double> x) const;  // bounds that x stands on
};

}  // namespace otss
