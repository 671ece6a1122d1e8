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

namespace {

double sum_of_squares(std::size_t num_rows, const Influence& influence) {
  double squares = 0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double value = influence(i);
    squares += value * value;
  }
  return squares;
}

}  // namespace

Bounds clustered_interval(double estimate, std::size_t num_rows, const Influence& influence,
                          std::span<const std::uint32_t> units, double level) {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = num_units(units, num_rows);
  if (count < 2) return {kUndefined, kUndefined};
  double variance = 0;
  if (units.empty()) {
    variance = sum_of_squares(num_rows, influence);
  } else {
    std::vector<double> sums(count, 0.0);
    for (std::size_t i = 0; i < num_rows; ++i) sums[units[i]] += influence(i);
    variance = sum_of_squares(count, [&](std::size_t unit) { return sums[unit]; });
  }
  const auto degrees = static_cast<double>(count - 1);
  variance *= static_cast<double>(count) / degrees;
  const double half = student_quantile(0.5 + 0.5 * level, degrees) * std::sqrt(variance);
  return {estimate - half, estimate + half};
}

Bounds clustered_mean_interval(std::span<const double> values, std::span<const std::uint32_t> units,
                               double level) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  return clustered_interval(
      mean, values.size(), [&](std::size_t i) { return (values[i] - mean) / count; }, units, level);
}

}  // namespace otss::internal
