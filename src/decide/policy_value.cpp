#include "otss/decide/policy_value.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "base/student.hpp"
#include "model/uncertainty/confidence.hpp"
#include "otss/base/error.hpp"
#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr ValueEstimate kNoEstimate{kUnknown, kUnknown, kUnknown};

using PerRow = std::function<double(std::size_t)>;

struct Spread {
  double standard_error = kUnknown;
  double degrees = 1;  // the degrees of freedom of the standard error
};

// Computes means over the rows of a log, and the standard errors of these means.
class RowMeans {
 public:
  explicit RowMeans(const PolicyLog& log) : log_(log), num_units_(count_units(log)) {
    for (std::size_t i = 0; i < log.outcomes.size(); ++i) total_ += weight(i);
    if (!(total_ > 0)) {
      throw Error(ErrorCode::kInput,
                  "the weights of all rows are 0; give at least one row a positive weight");
    }
  }

  std::size_t num_units() const { return num_units_; }
  double weight(std::size_t i) const { return log_.weights.empty() ? 1 : log_.weights[i]; }

  double mean(const PerRow& value) const {
    double sum = 0;
    for (std::size_t i = 0; i < log_.outcomes.size(); ++i) sum += weight(i) * value(i);
    return sum / total_;
  }

  // Returns the standard error of an estimate, and the degrees of freedom of this standard error.
  // influence(i) is the influence of row i on the estimate (docs/method.md, "The value of a
  // policy"). The mean of the influences over the rows must be 0.
  Spread spread(const PerRow& influence) const {
    if (num_units_ < 2) return {};
    std::vector<double> units(num_units_, 0.0);
    for (std::size_t i = 0; i < log_.outcomes.size(); ++i)
      units[log_.groups.empty() ? i : log_.groups[i]] += weight(i) * influence(i) / total_;
    double second = 0;
    double fourth = 0;
    for (const double unit : units) {
      second += unit * unit;
      fourth += unit * unit * unit * unit;
    }
    const auto n = static_cast<double>(num_units_);
    return {std::sqrt(n / (n - 1) * second), degrees_of_freedom(n, n * fourth / (second * second))};
  }

 private:
  static std::size_t count_units(const PolicyLog& log) {
    if (log.groups.empty()) return log.outcomes.size();
    return *std::max_element(log.groups.begin(), log.groups.end()) + std::size_t{1};
  }

  // Returns the degrees of freedom v of a variance that is estimated from n terms. The relative
  // variance of this estimate is (kurtosis - 1) / n. With v degrees of freedom it would be 2 / v,
  // so v is 2 n / (kurtosis - 1). A few large importance weights make the kurtosis large and v
  // small.
  static double degrees_of_freedom(double n, double kurtosis) {
    const double matched = 2 * n / (kurtosis - 1);
    return matched > 1 && matched < n - 1 ? matched : std::max(1.0, n - 1);
  }

  const PolicyLog& log_;
  std::size_t num_units_;
  double total_ = 0;
};

ValueEstimate estimate(const RowMeans& rows, double level, double value, const PerRow& influence) {
  const Spread spread = rows.spread(influence);
  const double width = student_quantile((1 + level) / 2, spread.degrees) * spread.standard_error;
  return {value, value - width, value + width};
}

// Returns the estimate of the mean of term(i) over the rows i, with its interval. The influence of
// row i on this estimate is term(i) - mean.
ValueEstimate estimate_mean(const RowMeans& rows, double level, const PerRow& term) {
  const double mean = rows.mean(term);
  return estimate(rows, level, mean, [&](std::size_t i) { return term(i) - mean; });
}

void check(const PolicyLog& log, double level) {
  [[maybe_unused]] const std::size_t n = log.outcomes.size();
  assert(log.propensities.size() == n && log.agrees.size() == n);
  assert(log.predicted_logged.size() == n && log.predicted_chosen.size() == n);
  assert(log.weights.empty() || log.weights.size() == n);
  assert(log.groups.empty() || log.groups.size() == n);
  if (log.outcomes.empty())
    throw Error(ErrorCode::kInput, "the log has no rows; give a log with at least one row");
  require_confidence(level);
}

void describe_overlap(const PolicyLog& log, const RowMeans& rows, const PerRow& importance,
                      PolicyValue& result) {
  const auto agrees = [&](std::size_t i) { return static_cast<double>(log.agrees[i]); };
  const auto unseen = [&](std::size_t i) { return 1.0 - log.chosen_was_logged[i]; };
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < log.outcomes.size(); ++i) {
    const double part = rows.weight(i) * importance(i);
    sum += part;
    squares += part * part;
    result.max_importance = std::max(result.max_importance, importance(i));
  }
  result.effective_sample_size = squares > 0 ? sum * sum / squares : 0;
  result.agreement = rows.mean(agrees);
  result.never_logged = log.chosen_was_logged.empty() ? kUnknown : rows.mean(unseen);
  result.min_propensity = *std::min_element(log.propensities.begin(), log.propensities.end());
  result.mean_importance = rows.mean(importance);
  result.mean_importance_error =
      rows.spread([&](std::size_t i) { return importance(i) - result.mean_importance; })
          .standard_error;
}

// Returns true if the agreeing rows have different outcomes. If all these outcomes are equal, the
// computed standard error of the self-normalised mean (snips) is 0. The true standard error is
// larger, so snips then gets no interval.
bool agreeing_outcomes_vary(const PolicyLog& log, const RowMeans& rows) {
  std::optional<double> first;
  for (std::size_t i = 0; i < log.outcomes.size(); ++i) {
    if (log.agrees[i] == 0 || rows.weight(i) == 0) continue;
    if (first.value_or(log.outcomes[i]) != log.outcomes[i]) return true;
    first = log.outcomes[i];
  }
  return false;
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

PolicyValue policy_value(const PolicyLog& log, double level) {
  check(log, level);
  const RowMeans rows(log);
  const auto importance = [&](std::size_t i) {
    return log.agrees[i] != 0 ? 1 / log.propensities[i] : 0.0;
  };
  const auto outcome = [&](std::size_t i) { return log.outcomes[i]; };
  const auto predicted = [&](std::size_t i) { return log.predicted_chosen[i]; };
  const auto weighed = [&](std::size_t i) { return importance(i) * log.outcomes[i]; };
  const auto corrected = [&](std::size_t i) {
    return log.predicted_chosen[i] + importance(i) * (log.outcomes[i] - log.predicted_logged[i]);
  };

  PolicyValue result{.level = level};
  result.num_rows = log.outcomes.size();
  result.num_units = rows.num_units();
  describe_overlap(log, rows, importance, result);
  result.direct = estimate_mean(rows, level, predicted);
  result.logging = estimate_mean(rows, level, outcome);
  // If no row agrees, all importance weights are 0, and no outcome says anything about the policy.
  // The computed standard errors would be too small, so these estimates are left out.
  if (!(result.effective_sample_size > 0)) {
    result.ips = result.snips = result.doubly_robust = result.gain = kNoEstimate;
    return result;
  }
  result.ips = estimate_mean(rows, level, weighed);
  result.doubly_robust = estimate_mean(rows, level, corrected);
  result.gain =
      estimate_mean(rows, level, [&](std::size_t i) { return corrected(i) - log.outcomes[i]; });
  const double ratio = result.ips.value / result.mean_importance;
  result.snips = estimate(rows, level, ratio, [&](std::size_t i) {
    return importance(i) * (log.outcomes[i] - ratio) / result.mean_importance;
  });
  if (!agreeing_outcomes_vary(log, rows)) result.snips.lo = result.snips.hi = kUnknown;
  return result;
}

std::vector<std::string> overlap_warnings(const PolicyValue& value) {
  constexpr double kFewRows = 100;
  constexpr double kSmallShare = 0.01;
  // The mean importance weight is reported if it differs from 1 by more standard errors than this.
  constexpr double kFarOff = 3;
  constexpr double kRounding = 1e-9;
  if (!(value.effective_sample_size > 0)) {
    return {
        "the policy agrees with no logged decision, so this log cannot show the value of the "
        "policy, and only the model's own prediction (direct) is given; use a log with more "
        "varied decisions"};
  }
  std::vector<std::string> warnings;
  const auto rows = static_cast<double>(value.num_rows);
  if (value.effective_sample_size < std::max(kFewRows, kSmallShare * rows)) {
    warnings.push_back(fmt::format(
        "poor overlap: the estimates are as uncertain as a mean of {:.1f} rows, although the "
        "log has {} rows; the policy agrees with only {:.2f} % of the rows, one row counts up "
        "to {:.4g} times, and the intervals are rough; use a log with more varied decisions",
        value.effective_sample_size, value.num_rows, 100 * value.agreement, value.max_importance));
  }
  if (value.never_logged > 0) {
    warnings.push_back(fmt::format(
        "in {:.2f} % of the rows the policy chooses a decision that was never logged; for these "
        "rows doubly_robust uses only the model's prediction, ips counts 0, and snips counts "
        "nothing; use a log that has these decisions too",
        100 * value.never_logged));
  }
  if (std::abs(value.mean_importance - 1) > kFarOff * value.mean_importance_error + kRounding) {
    warnings.push_back(fmt::format(
        "the mean of the importance weights is {:.4g} (standard error {:.2g}), but should be "
        "1; check that the propensities in the log are correct, and that the log has every "
        "decision that the policy chooses",
        value.mean_importance, value.mean_importance_error));
  }
  return warnings;
}

}  // namespace otss
