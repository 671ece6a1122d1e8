#include "model/calibration.hpp"

#include <cmath>
#include <limits>

namespace otss::internal {

// Newton's method finds the intercept and the slope. A step that would increase the loss is halved.
// Without this halving the iteration could diverge if a threshold on eta separates the two
// outcomes, because then no finite slope is best.
CalibrationLine calibration(OutputFamily family, std::span<const double> eta,
                            std::span<const double> outcomes, std::span<const double> weights) {
  constexpr int kRounds = 50;
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  const auto loss = [&](double a, double b) {
    double sum = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      sum += weight(i) * family.loss(a + b * eta[i], outcomes[i]);
    }
    return sum;
  };
  double a = 0;
  double b = 1;
  double value = loss(a, b);
  double haa = 0, hab = 0, hbb = 0;
  for (int round = 0; round < kRounds; ++round) {
    double ga = 0, gb = 0;
    haa = hbb = 1e-12;
    hab = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) {
      const double t = a + b * eta[i];
      const double residual = weight(i) * family.slope(t, outcomes[i]);
      const double variance = weight(i) * family.curvature(t);
      ga += residual;
      gb += residual * eta[i];
      haa += variance;
      hab += variance * eta[i];
      hbb += variance * eta[i] * eta[i];
    }
    const double determinant = haa * hbb - hab * hab;
    if (!(determinant > 1e-12 * haa * hbb)) return {kUndefined, kUndefined, haa, hab, hbb};
    double da = (hbb * ga - hab * gb) / determinant;
    double db = (haa * gb - hab * ga) / determinant;
    double next = loss(a - da, b - db);
    for (int halving = 0; halving < 30 && !(next <= value); ++halving) {
      da /= 2;
      db /= 2;
      next = loss(a - da, b - db);
    }
    a -= da;
    b -= db;
    const bool settled = std::abs(value - next) <= 1e-12 * std::abs(value);
    value = next;
    if (settled) break;
  }
  return {a, b, haa, hab, hbb};
}

}  // namespace otss::internal
