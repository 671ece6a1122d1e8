#include "learn/posterior/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/threads.hpp"
#include "engine/tile_predictors.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {
namespace {

// At most this many draws are used. The draws of a chain are correlated, so more draws would add
// little.
constexpr std::size_t kMostDraws = 200;
constexpr std::size_t kRowsPerTask = 512;  // whole tiles
static_assert(kRowsPerTask % kTileRows == 0);
// The predictors of a draw are followed by an unused cache line. Otherwise those of all draws for one
// row would compete for the same place in the cache.
constexpr std::size_t kDrawStride = kRowsPerTask + kDoublesPerLine;

std::vector<const std::vector<double>*> thinned_draws(
    const std::vector<std::vector<double>>& draws) {
  const std::size_t step = (draws.size() + kMostDraws - 1) / kMostDraws;
  std::vector<const std::vector<double>*> kept;
  for (std::size_t d = 0; d < draws.size(); d += step) kept.push_back(&draws[d]);
  return kept;
}

// Returns the average of the draws' predictors of one row, weighted as if the row had been left out.
// The predictor of draw d is eta[d * kDrawStride].
double average_without_row(const Problem& problem, std::size_t row, const double* eta,
                           std::vector<double>& inverse) {
  for (std::size_t d = 0; d < inverse.size(); ++d) {
    inverse[d] =
        problem.weight(row) * problem.family().loss(eta[d * kDrawStride], problem.outcome(row));
  }
  // Only the ratios of the weights 1 / P(y) matter. All weights are divided by the largest one,
  // because the weight of an outlier could overflow.
  const double largest = *std::ranges::max_element(inverse);
  double total = 0;
  for (double& value : inverse) total += value = std::exp(value - largest);
  const double most = total / std::sqrt(static_cast<double>(inverse.size()));
  double sum = 0;
  double weights = 0;
  for (std::size_t d = 0; d < inverse.size(); ++d) {
    const double weight = std::min(inverse[d], most);
    weights += weight;
    sum += weight * eta[d * kDrawStride];
  }
  return sum / weights;
}

}  // namespace

std::vector<double> leave_one_out_predictors(const Problem& problem, const MixtureLayout& layout,
                                             const std::vector<std::vector<double>>& draws,
                                             int num_threads) {
  std::vector<double> eta(problem.num_rows());
  const auto kept = thinned_draws(draws);
  const std::size_t num_tasks = (eta.size() + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(num_tasks, num_threads, [&](std::size_t task) {
    const std::size_t begin = task * kRowsPerTask;
    const std::size_t end = std::min(eta.size(), begin + kRowsPerTask);
    std::vector<std::uint32_t> tiles;
    for (std::size_t i = begin; i < end; i += kTileRows)
      tiles.push_back(static_cast<std::uint32_t>(i / kTileRows));
    CacheLines of_draws(lines_for(kept.size() * kDrawStride));
    double* const first = of_draws.front().lanes;
    for (std::size_t d = 0; d < kept.size(); ++d) {
      tile_predictors(*problem.features, layout, *kept[d], tiles,
                      {first + d * kDrawStride, tiles.size() * kTileRows});
    }
    std::vector<double> inverse(kept.size());
    for (std::size_t i = begin; i < end; ++i)
      eta[i] = average_without_row(problem, i, first + (i - begin), inverse);
  });
  return eta;
}

}  // namespace otss::internal
