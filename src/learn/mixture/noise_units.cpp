#include "learn/mixture/noise_units.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "learn/mixture/pooled.hpp"
#include "otss/base/error.hpp"

namespace otss::internal {
namespace {

// The smallest standard deviation of the noise, relative to the outcome's standard deviation. It is
// used when the model fits the outcomes without residuals.
constexpr double kSmallestNoise = 1e-6;
// An outcome is refused if its standard deviation divided by its mean is below this. Outcomes have
// single precision, so rounding would hide such small differences.
constexpr double kSmallestSpread = 1e-5;

OutcomeUnits mean_and_deviation(const LoggedData& log) {
  const auto weight = [&](std::size_t i) {
    return log.weights().empty() ? 1.0F : log.weights()[i];
  };
  double total = 0;
  double mean = 0;
  // Computed as in Welford (1962), which is precise even if the mean is far from 0.
  double squares = 0;
  for (std::size_t i = 0; i < log.num_rows(); ++i) {
    if (weight(i) == 0) continue;
    total += weight(i);
    const double before = log.outcomes()[i] - mean;
    mean += before * weight(i) / total;
    squares += weight(i) * before * (log.outcomes()[i] - mean);
  }
  return {mean, std::sqrt(squares / total)};
}

}  // namespace

OutcomeUnits noise_units(const LoggedData& log, const Box& own_bounds, int num_threads) {
  OutcomeUnits units = mean_and_deviation(log);
  if (units.scale <= kSmallestSpread * std::abs(units.center)) {
    throw Error(ErrorCode::kInput,
                fmt::format("outcome '{}' has standard deviation {:.2g} and mean {:.6g}: single "
                            "precision cannot hold such small differences; subtract a constant "
                            "near the mean from all outcomes",
                            log.roles().outcome, units.scale, units.center));
  }
  const Problem problem = whole_problem(log, OutputFamily::kGaussian, units, own_bounds);
  const MixtureFit fit = fit_pooled(problem, num_threads).fit;
  const double total = problem.rows.total();
  const double squares = 2 * total * mean_loss(problem, fit.layout, fit.theta, num_threads);
  // The number of degrees of freedom is at least total / 2. The limit is needed because row weights
  // need not be counts of rows: their sum may be less than the number of parameters.
  const double freedom = std::max(total - static_cast<double>(fit.layout.size()), total / 2);
  units.scale *= std::max(std::sqrt(squares / freedom), kSmallestNoise);
  return units;
}

}  // namespace otss::internal
