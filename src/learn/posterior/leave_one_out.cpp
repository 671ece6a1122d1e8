#include "learn/posterior/leave_one_out.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "engine/mixture_row.hpp"

namespace otss::internal {
namespace {

// At most this many draws are used. The draws of a chain are correlated, so more draws would add
// little.
constexpr std::size_t kMostDraws = 200;
constexpr std::size_t kRowsPerTask = 1024;

std::vector<MixtureRow> thinned_models(const MixtureLayout& layout,
                                       const std::vector<std::vector<double>>& draws) {
  const std::size_t step = (draws.size() + kMostDraws - 1) / kMostDraws;
  std::vector<MixtureRow> models;
  for (std::size_t d = 0; d < draws.size(); d += step) models.emplace_back(layout, draws[d]);
  return models;
}

double average_without_row(std::vector<MixtureRow>& models, const Problem& problem, std::size_t row,
                           std::vector<double>& inverse) {
  const float* features = problem.features->tile(row / kTileRows) + row % kTileRows;
  for (std::size_t d = 0; d < models.size(); ++d) {
    models[d].evaluate(features);
    inverse[d] = problem.weight(row) * problem.family().loss(models[d].eta(), problem.outcome(row));
  }
  // Only the ratios of the weights 1 / P(y) matter. All weights are divided by the largest one,
  // because the weight of an outlier could overflow.
  const double largest = *std::ranges::max_element(inverse);
  double total = 0;
  for (double& value : inverse) total += value = std::exp(value - largest);
  const double most = total / std::sqrt(static_cast<double>(models.size()));
  double sum = 0;
  double weights = 0;
  for (std::size_t d = 0; d < models.size(); ++d) {
    const double weight = std::min(inverse[d], most);
    weights += weight;
    sum += weight * models[d].eta();
  }
  return sum / weights;
}

}  // namespace

std::vector<double> leave_one_out_predictors(const Problem& problem, const MixtureLayout& layout,
                                             const std::vector<std::vector<double>>& draws,
                                             int num_threads) {
  std::vector<double> eta(problem.num_rows());
  const std::size_t num_tasks = (eta.size() + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(num_tasks, num_threads, [&](std::size_t task) {
    std::vector<MixtureRow> models = thinned_models(layout, draws);
    std::vector<double> inverse(models.size());
    const std::size_t end = std::min(eta.size(), (task + 1) * kRowsPerTask);
    for (std::size_t i = task * kRowsPerTask; i < end; ++i) {
      eta[i] = average_without_row(models, problem, i, inverse);
    }
  });
  return eta;
}

}  // namespace otss::internal
