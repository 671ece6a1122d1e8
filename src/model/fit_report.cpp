#include "otss/model/fit_report.hpp"

namespace otss {

GainVerdict judge_gain(const MeanAndError& gain) {
  constexpr double kZ95 = 1.959963984540054;
  const double lo = gain.mean - kZ95 * gain.standard_error;
  const double hi = gain.mean + kZ95 * gain.standard_error;
  return {lo, hi, lo > 0};
}

}  // namespace otss
