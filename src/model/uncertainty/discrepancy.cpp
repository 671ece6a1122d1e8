#include "model/uncertainty/discrepancy.hpp"

#include <cmath>
#include <vector>

#include "base/normal_law.hpp"
#include "base/random.hpp"

namespace otss::internal {

std::vector<double> shuffled_quantiles(std::size_t count) {
  constexpr std::uint64_t kSeed = 20261117;
  Rng rng(kSeed);
  std::vector<double> values(count);
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count));
    squares += values[i] * values[i];
  }
  const double scale = squares > 0 ? std::sqrt(static_cast<double>(count) / squares) : 0;
  for (double& value : values) value *= scale;
  rng.shuffle(std::span(values));
  return values;
}

void add_discrepancy(std::span<const double> discrepancy, std::span<double> departures) {
  if (discrepancy.empty()) return;
  const std::size_t size = discrepancy.size();
  const std::vector<double> normals = shuffled_quantiles(departures.size() / size);
  for (std::size_t i = 0; i < departures.size(); ++i)
    departures[i] += discrepancy[i % size] * normals[i / size];
}

Bounds widened(const Bounds& bounds, double standard_deviation, double level) {
  const double added = normal_quantile(0.5 + 0.5 * level) * standard_deviation;
  return {-std::hypot(bounds.lo, added), std::hypot(bounds.hi, added)};
}

}  // namespace otss::internal
