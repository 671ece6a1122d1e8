#include "otss/model/fit_report.hpp"

namespace otss {

GainVerdict judge_gain(const MeanAndError& gain) {
  constexpr double kZ95 = 1.959963984540054;
  // With a smaller gain, 100,000 rows together are not even e times as likely as under the pooled
  // model. Such a gain can exceed its error where the outcomes are almost certain.
  constexpr double kLeastGain = 1e-5;
  const double lo = gain.mean - kZ95 * gain.standard_error;
  const double hi = gain.mean + kZ95 * gain.standard_error;
  return {lo, hi, lo > 0 && gain.mean >= kLeastGain};
}

}  // namespace otss
