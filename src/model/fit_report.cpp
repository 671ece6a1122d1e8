#include "otss/model/fit_report.hpp"

namespace otss {

GainVerdict judge_gain(const MeanAndError& gain) {
  constexpr double kZ95 = 1.959963984540054;
  // A gain below this limit is too small to matter: it makes even 100,000 rows together less than e
  // times as likely as the pooled model makes them. Where outcomes are almost certain, such a small
  // gain can still exceed its standard error.
  constexpr double kLeastGain = 1e-5;
  const double lo = gain.mean - kZ95 * gain.standard_error;
  const double hi = gain.mean + kZ95 * gain.standard_error;
  return {lo, hi, lo > 0 && gain.mean >= kLeastGain};
}

GainVerdict judge_contexts(const FitReport& report) {
  return judge_gain(report.context_gain ? *report.context_gain : report.gain.value());
}

}  // namespace otss
