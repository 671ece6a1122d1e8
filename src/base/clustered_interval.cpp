#include "base/clustered_interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/student.hpp"

namespace otss::internal {

std::size_t num_units(std::span<const std::uint32_t> units, std::size_t num_rows) {
  if (units.empty()) return num_rows;
  return std::size_t{1} + *std::ranges::max_element(units);
}

Bounds clustered_interval(double estimate, std::span<const double> influence,
                          std::span<const std::uint32_t> units, double level) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = num_units(units, influence.size());
  if (count < 2) return {kUndefined, kUndefined};
  std::vector<double> sums(count, 0.0);
  for (std::size_t i = 0; i < influence.size(); ++i)
    sums[units.empty() ? i : units[i]] += influence[i];
  double variance = 0;
  for (const double sum : sums) variance += sum * sum;
  const auto degrees = static_cast<double>(count - 1);
  variance *= static_cast<double>(count) / degrees;
  const double half = student_quantile(0.5 + 0.5 * level, degrees) * std::sqrt(variance);
  return {estimate - half, estimate + half};
}

Bounds clustered_mean_interval(std::span<const double> values, std::span<const std::uint32_t> units,
                               double level) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  std::vector<double> influence;
  influence.reserve(values.size());
  for (const double value : values) influence.push_back((value - mean) / count);
  return clustered_interval(mean, influence, units, level);
}

}  // namespace otss::internal
