#include "base/student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace otss::internal {
namespace {

constexpr double kPracticallyNormal = 1e6;

// Computes the density f of the angle a = atan(t / sqrt(v)), where t has Student's distribution
// with v degrees of freedom:
//
//   f(a) = Gamma((v+1)/2) / (Gamma(v/2) sqrt(pi)) * cos(a)^(v-1),   |a| < pi/2
//
// The angle is used because f is smooth and easy to integrate, unlike the density of t, whose tails
// are long. integral_to(angle) integrates f from 0 to the angle by Simpson's rule. The number of
// panels is the same for every v: with a larger v, f is narrower, but so is the interval.
class AngleDensity {
 public:
  explicit AngleDensity(double degrees)
      : power_(degrees - 1),
        constant_(std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) /
                  std::sqrt(std::numbers::pi)) {}

  double at(double angle) const { return constant_ * std::pow(std::cos(angle), power_); }

  double integral_to(double angle) const {
    constexpr int kPanels = 400;
    const double step = angle / kPanels;
    double sum = at(0) + at(angle);
    for (int i = 1; i < kPanels; ++i) sum += (i % 2 == 1 ? 4 : 2) * at(i * step);
    return sum * step / 3;
  }

 private:
  double power_, constant_;
};

}  // namespace

double student_quantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1 && degrees >= 1);
  if (probability < 0.5) return -student_quantile(1 - probability, degrees);
  constexpr int kMostSteps = 100;
  const double v = std::min(degrees, kPracticallyNormal);
  const AngleDensity density(v);
  // Newton's method is started at 0. It does not pass the solution, because the density decreases
  // as the angle increases.
  double angle = 0;
  for (int i = 0; i < kMostSteps; ++i) {
    const double step = (probability - 0.5 - density.integral_to(angle)) / density.at(angle);
    angle += step;
    if (!(step > 1e-13 * angle)) break;
  }
  return std::sqrt(v) * std::tan(angle);
}

}  // namespace otss::internal
