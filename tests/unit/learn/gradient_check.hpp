// What the gradient tests share: a random point, and its gradient by central differences.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss {

using namespace internal;

inline std::vector<double> random_theta(const MixtureLayout& layout, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> theta(layout.size());
  for (double& t : theta) t = rng.normal();
  return theta;
}

inline std::vector<double> finite_differences(
    const std::function<double(const std::vector<double>&)>& value, std::vector<double> point,
    double step = 1e-5) {
  std::vector<double> slopes;
  for (double& entry : point) {
    const double kept = entry;
    entry = kept + step;
    const double above = value(point);
    entry = kept - step;
    const double below = value(point);
    entry = kept;
    slopes.push_back((above - below) / (2 * step));
  }
  return slopes;
}

}  // namespace otss
