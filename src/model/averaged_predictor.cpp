#include "model/averaged_predictor.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

// Returns the logit of the average of 1 / (1 + exp(-t)) over t ~ N(eta, sd²), by the trapezoidal
// rule. The logistic function has its poles at distance pi / sd from the real axis (in standard
// deviations), so the error of the rule is about exp(-2 pi² / (sd · step)), here below 2e-7. Both
// probabilities are summed, so that neither loses digits when it is small.
double averaged_logit(double eta, double sd) {
  constexpr double kReach = 8;  // standard deviations; less than 2e-15 lies outside
  const double step = std::min(0.4, 1.25 / sd);
  double one = 0, zero = 0;
  const int half = static_cast<int>(std::ceil(kReach / step));
  for (int i = -half; i <= half; ++i) {
    const double at = step * i;
    const double density = std::exp(-0.5 * at * at);
    const double t = eta + sd * at;
    const double tail = std::exp(-std::abs(t));
    const double larger = density / (1 + tail);
    one += t > 0 ? larger : larger * tail;
    zero += t > 0 ? larger * tail : larger;
  }
  // If a sum is rounded to 0, the outcome is certain, and averaging changes nothing that a double
  // can show.
  return one > 0 && zero > 0 ? std::log(one / zero) : eta;
}

}  // namespace

double averaged_predictor(OutputFamily family, double eta, double variance) {
  if (!(variance > 0)) return eta;
  switch (family.kind()) {
    case OutputFamily::kGaussian: return eta;
    case OutputFamily::kPoisson: return eta + 0.5 * variance;
    case OutputFamily::kBernoulli: break;
  }
  // With a larger standard deviation, the average hardly depends on it, and the rule would need
  // more points.
  constexpr double kLargest = 1000;
  return averaged_logit(eta, std::min(std::sqrt(variance), kLargest));
}

}  // namespace otss::internal
