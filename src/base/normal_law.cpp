#include "base/normal_law.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace otss::internal {
namespace {

// Returns an approximation of the x with P(Z > x) = tail, where Z is standard normal. The error of
// x is below 5e-4 (Abramowitz & Stegun 1964, 26.2.23).
double rough_upper_quantile(double tail) {
  const double t = std::sqrt(-2 * std::log(tail));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  const double tail = p < 0.5 ? p : 1 - p;
  double x = rough_upper_quantile(tail);
  // Each step of Halley's method triples the number of correct digits.
  constexpr int kHalleySteps = 3;
  for (int step = 0; step < kHalleySteps; ++step) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double newton = (normal_probability(-x) - tail) / density;
    x += newton / (1 - 0.5 * x * newton);
  }
  return p < 0.5 ? -x : x;
}

}  // namespace otss::internal
