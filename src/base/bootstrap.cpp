#include "base/bootstrap.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/normal_law.hpp"
#include "base/random.hpp"
#include "base/student.hpp"

namespace otss::internal {
namespace {

constexpr std::size_t kMostUnits = 5000;

struct Unit {
  double value = 0;
  double weight = 0;
};

std::vector<Unit> units_of(std::span<const double> values, std::span<const double> weights,
                           Rng& rng) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (values.size() > kMostUnits) rng.shuffle(std::span(order));
  std::vector<Unit> units(std::min(kMostUnits, values.size()));
  for (std::size_t i = 0; i < order.size(); ++i) {
    Unit& unit = units[i % units.size()];
    unit.value += values[order[i]];
    unit.weight += weights.empty() ? 1 : weights[order[i]];
  }
  return units;
}

double quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return (1 - part) * sorted[below] + part * sorted[above];
}

std::vector<double> resampled_means(std::span<const double> values,
                                    const BootstrapOptions& options) {
  Rng rng(options.seed);
  std::vector<double> means(options.resamples);
  for (double& mean : means) {
    for (std::size_t i = 0; i < values.size(); ++i) mean += values[rng.below(values.size())];
    mean /= static_cast<double>(values.size());
  }
  return means;
}

double skewness(std::span<const double> values, double mean) {
  double squares = 0;
  double cubes = 0;
  for (const double value : values) {
    squares += (value - mean) * (value - mean);
    cubes += (value - mean) * (value - mean) * (value - mean);
  }
  const double variance = squares / static_cast<double>(values.size());
  return variance > 0 ? cubes / static_cast<double>(values.size()) / std::pow(variance, 1.5) : 0;
}

}  // namespace

Interval bootstrap_ratio(std::span<const double> values, std::span<const double> weights,
                         const BootstrapOptions& options) {
  assert(!values.empty() && (weights.empty() || weights.size() == values.size()));
  Rng rng(options.seed);
  const std::vector<Unit> units = units_of(values, weights, rng);
  std::vector<double> ratios;
  while (ratios.size() < static_cast<std::size_t>(options.resamples)) {
    Unit sum;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const Unit& drawn = units[rng.below(units.size())];
      sum.value += drawn.value;
      sum.weight += drawn.weight;
    }
    ratios.push_back(sum.weight > 0 ? sum.value / sum.weight : 0);
  }
  return percentile_interval(std::move(ratios), options.level);
}

Interval bca_interval(std::span<const double> values, const BootstrapOptions& options) {
  const auto n = static_cast<double>(values.size());
  assert(n >= 2);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  std::vector<double> means = resampled_means(values, options);
  std::sort(means.begin(), means.end());
  if (means.front() == means.back()) return {mean, mean};
  // Resamples that equal the mean count half, so that a symmetric distribution has no bias.
  const auto [equal, above] = std::equal_range(means.begin(), means.end(), mean);
  const double below =
      static_cast<double>(equal - means.begin()) + 0.5 * static_cast<double>(above - equal);
  const double resamples = static_cast<double>(means.size());
  const double bias =
      normal_quantile(std::clamp(below / resamples, 0.5 / resamples, 1 - 0.5 / resamples));
  const double acceleration = skewness(values, mean) / (6 * std::sqrt(n));
  const double expanded =
      std::sqrt(n / (n - 1)) * student_quantile(1 - (1 - options.level) / 2, n - 1);
  const auto end = [&](double z) {
    const double shifted = bias + (bias + z) / std::max(0.1, 1 - acceleration * (bias + z));
    return quantile(means, normal_probability(shifted));
  };
  return {end(-expanded), end(expanded)};
}

Interval percentile_interval(std::vector<double> resampled, double level) {
  std::sort(resampled.begin(), resampled.end());
  const double tail = (1 - level) / 2;
  return {quantile(resampled, tail), quantile(resampled, 1 - tail)};
}

}  // namespace otss::internal
