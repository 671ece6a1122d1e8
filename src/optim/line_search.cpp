#include "optim/line_search.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal {
namespace {

// Returns the minimiser of the cubic polynomial that has the given values and slopes at two points,
// or NaN if this cubic has no minimiser.
double cubic_minimiser(const LinePoint& a, const LinePoint& b) {
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!(square >= 0)) return std::nan("");
  const double d2 = std::copysign(std::sqrt(square), b.step - a.step);
  return b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}

class WolfeConditions {
 public:
  WolfeConditions(const LinePoint& origin, const LineSearchOptions& options)
      : origin_(origin), options_(options), noise_(options.value_noise * std::abs(origin.value)) {}

  bool decreases(const LinePoint& p) const {
    return p.value <= origin_.value + options_.sufficient_decrease * p.step * origin_.slope;
  }

  bool accepts(const LinePoint& p) const {
    if (!std::isfinite(p.value) || !std::isfinite(p.slope)) return false;
    const bool strong = decreases(p) && std::abs(p.slope) <= -options_.curvature * origin_.slope;
    const bool approximate = p.value <= origin_.value + noise_ &&
                             p.slope >= options_.curvature * origin_.slope &&
                             p.slope <= (2 * options_.sufficient_decrease - 1) * origin_.slope;
    return strong || approximate;
  }

  // Returns true if a minimiser lies between `best` and p.
  bool overshoots(const LinePoint& p, const LinePoint& best) const {
    if (!std::isfinite(p.value) || !std::isfinite(p.slope) || p.slope >= 0) return true;
    return !decreases(p) && p.value > best.value + noise_;
  }

 private:
  LinePoint origin_;
  LineSearchOptions options_;
  double noise_;
};

double next_between(const LinePoint& low, const LinePoint& high) {
  const double left = std::min(low.step, high.step);
  const double width = std::abs(high.step - low.step);
  const double middle = left + 0.5 * width;
  if (!std::isfinite(high.value) || !std::isfinite(high.slope)) return left + 0.1 * width;
  const double cubic = cubic_minimiser(low, high);
  if (!std::isfinite(cubic)) return middle;
  // The new point is at least 5 % of the width away from both ends, so that the bracket shrinks
  // even if the interpolation is bad.
  return std::clamp(cubic, left + 0.05 * width, left + 0.95 * width);
}

}  // namespace

LineSearchResult line_search(const std::function<LinePoint(double step)>& at,
                             const LinePoint& origin, double first_step,
                             const LineSearchOptions& options) {
  const WolfeConditions wolfe(origin, options);
  LinePoint low = origin;  // the best point so far; the value decreases from `low` towards `high`
  LinePoint high;
  bool bracketed = false;
  double step = first_step;
  for (int i = 0; i < options.max_evaluations; ++i) {
    const LinePoint p = at(step);
    if (wolfe.accepts(p)) return {p, true};
    if (!bracketed) {
      if (wolfe.overshoots(p, low)) {
        high = p;
        bracketed = true;
      } else {
        low = p;
        step *= 4;
        continue;
      }
    } else if (!std::isfinite(p.value) || !wolfe.decreases(p) || p.value >= low.value) {
      high = p;
    } else {
      if (p.slope * (high.step - low.step) >= 0) high = low;
      low = p;
    }
    step = next_between(low, high);
  }
  // No point satisfied the Wolfe conditions within max_evaluations, so any decrease is accepted.
  return {low, low.step > 0 && low.value < origin.value};
}

}  // namespace otss::internal
