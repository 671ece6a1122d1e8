#include "learn/methods/routing/sharp_objective.hpp"

#include <cmath>
#include <numeric>

namespace otss::internal {

SharpObjective::SharpObjective(Objective& soft, const MixtureLayout& layout, double sharpness)
    : soft_(soft),
      gate_size_(layout.baseline()),
      length_(sharpness * std::sqrt(layout.num_experts - 1.0)) {}

double SharpObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  const auto gate = theta.first(gate_size_);
  const double norm = std::sqrt(std::inner_product(gate.begin(), gate.end(), gate.begin(), 0.0));
  std::vector<double> sharp(theta.begin(), theta.end());
  for (std::size_t i = 0; i < gate_size_; ++i) sharp[i] *= length_ / norm;
  const double value = soft_.evaluate(sharp, gradient);
  // The objective depends on the gate parameters D only by D / |D| (sharp_objective.hpp), so it
  // does not change when D changes its length. Therefore the component of the gradient along D is
  // removed.
  const double along =
      std::inner_product(gate.begin(), gate.end(), gradient.begin(), 0.0) / (norm * norm);
  for (std::size_t i = 0; i < gate_size_; ++i)
    gradient[i] = length_ / norm * (gradient[i] - along * gate[i]);
  return value;
}

}  // namespace otss::internal
