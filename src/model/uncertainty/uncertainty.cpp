#include "otss/model/uncertainty.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "model/uncertainty/draws_of_weights.hpp"

namespace otss::internal {
namespace {

// Returns q such that, in the share `level` of the draws, no weight differs from the model's weight
// by more than q standard deviations. `departures` has the drawn weights minus the model's weights,
// draw after draw. `sizes` has the standard deviation of each factor's weight.
double critical_value(std::span<const double> departures, std::span<const double> sizes,
                      double level) {
  const std::size_t num_factors = sizes.size();
  std::vector<double> largest(departures.size() / num_factors, 0.0);
  for (std::size_t i = 0; i < departures.size(); ++i) {
    const double size = sizes[i % num_factors];
    if (size == 0) continue;
    double& most = largest[i / num_factors];
    most = std::max(most, std::abs(departures[i]) / size);
  }
  return quantile(largest, level);
}

}  // namespace
}  // namespace otss::internal

namespace otss {

using namespace internal;

void Uncertainty::departures(std::span<const double> x, std::span<double> out) const {
  constexpr double kOnce[] = {1.0};
  combined_departures(x, kOnce, out);
}

void Uncertainty::interval(std::span<const double> x, double level, Coverage coverage,
                           std::span<double> lo, std::span<double> hi) const {
  std::vector<double> draws(static_cast<std::size_t>(num_draws()) * num_factors());
  departures(x, draws);
  interval_of(draws, level, coverage, lo, hi);
}

void Uncertainty::interval_of(std::span<const double> departures, double level, Coverage coverage,
                              std::span<double> lo, std::span<double> hi) const {
  assert(is_confidence(level));
  interval_of_each(departures, level, lo, hi);
  if (coverage == Coverage::kEachFactor) return;
  const std::vector<double> sizes = column_sizes(departures, lo.size());
  const double critical = critical_value(departures, sizes, level);
  for (std::size_t j = 0; j < lo.size(); ++j) {
    lo[j] = std::min(lo[j], -critical * sizes[j]);
    hi[j] = std::max(hi[j], critical * sizes[j]);
  }
}

}  // namespace otss
