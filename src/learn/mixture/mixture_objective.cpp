#include "learn/mixture/mixture_objective.hpp"

namespace otss::internal {

double MixtureObjective::evaluate(std::span<const double> theta, std::span<double> gradient) {
  double value = engine_.evaluate(theta, gradient, precision_);
  value += penalty_.add(engine_.layout(), theta, gradient);
  const double scale = 1 / engine_.total_weight();
  for (double& entry : gradient) entry *= scale;
  return value * scale;
}

}  // namespace otss::internal
