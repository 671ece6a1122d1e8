#include "base/bootstrap.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

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

Interval percentile_interval(std::vector<double> resampled, double level) {
  std::sort(resampled.begin(), resampled.end());
  const double tail = (1 - level) / 2;
  return {quantile(resampled, tail), quantile(resampled, 1 - tail)};
}

}  // namespace otss::internal
