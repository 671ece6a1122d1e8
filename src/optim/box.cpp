#include "optim/box.hpp"

#include <algorithm>

namespace otss::internal {

void Box::project(std::span<double> x) const {
  for (std::size_t i = 0; i < lower.size(); ++i) x[i] = std::clamp(x[i], lower[i], upper[i]);
}

std::vector<double> Box::projected_gradient(std::span<const double> x,
                                            std::span<const double> gradient) const {
  std::vector<double> projected(gradient.begin(), gradient.end());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const bool held = gradient[i] > 0 ? x[i] <= lower[i] : x[i] >= upper[i];
    if (held) projected[i] = 0;
  }
  return projected;
}

int Box::num_active(std::span<const double> x) const {
  int active = 0;
  for (std::size_t i = 0; i < lower.size(); ++i)
    active += x[i] <= lower[i] || x[i] >= upper[i] ? 1 : 0;
  return active;
}

}  // namespace otss::internal
