#include "learn/posterior/chain_diagnostics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace otss::internal {
namespace {

double mean_of(std::span<const double> v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

// Returns (1/n) sum_i (v_i - mean) (v_{i+lag} - mean).
double autocovariance(std::span<const double> v, double mean, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < v.size(); ++i) sum += (v[i] - mean) * (v[i + lag] - mean);
  return sum / static_cast<double>(v.size());
}

std::vector<std::span<const double>> halves(const std::vector<std::vector<double>>& chains) {
  std::vector<std::span<const double>> result;
  for (const auto& chain : chains) {
    const std::size_t half = chain.size() / 2;
    result.push_back(std::span(chain).first(half));
    result.push_back(std::span(chain).last(half));
  }
  return result;
}

}  // namespace

Mixing mixing(const std::vector<std::vector<double>>& chains) {
  assert(!chains.empty() && chains.front().size() >= 4);
  const auto parts = halves(chains);
  const auto n = static_cast<double>(parts.front().size());
  const auto m = static_cast<double>(parts.size());
  std::vector<double> means;
  double within = 0;
  for (const auto part : parts) {
    means.push_back(mean_of(part));
    within += autocovariance(part, means.back(), 0) * n / (n - 1) / m;
  }
  const double between =
      autocovariance(means, mean_of(means), 0) * m / (m - 1);  // variance of the halves' means
  const double variance = within * (n - 1) / n + between;
  if (!(within > 0)) return {between > 0 ? std::numeric_limits<double>::infinity() : 1, n * m};

  const auto correlation = [&](std::size_t lag) {
    double covariance = 0;
    for (std::size_t c = 0; c < parts.size(); ++c)
      covariance += autocovariance(parts[c], means[c], lag) / m;
    return 1 - (within - covariance) / variance;
  };
  // In theory, autocorrelations summed over pairs of neighbouring lags are positive and decreasing
  // (Geyer 1992). So a sum above the previous one is noise and is lowered to the previous one. The
  // loop ends at the first sum that is not positive.
  double time = -1;
  double last_pair = std::numeric_limits<double>::infinity();
  for (std::size_t lag = 0; lag + 1 < parts.front().size(); lag += 2) {
    const double pair = std::min(correlation(lag) + correlation(lag + 1), last_pair);
    if (pair <= 0) break;
    time += 2 * pair;
    last_pair = pair;
  }
  // Anticorrelated draws can be worth more than independent draws. The lower limit of `time`
  // ensures that noise in `time` cannot make the effective sample size far too large.
  return {std::sqrt(variance / within), n * m / std::max(time, 1 / std::log10(n * m))};
}

}  // namespace otss::internal
