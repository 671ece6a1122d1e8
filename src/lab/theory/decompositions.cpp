#include "lab/theory/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace otss::internal {
namespace {

// Returns the mean of the true weights w* in each cell, as a matrix of cells × J.
std::vector<double> cell_means(std::span<const double> truth, std::span<const int> cells,
                               int num_factors) {
  const int num_cells = *std::max_element(cells.begin(), cells.end()) + 1;
  std::vector<double> means(static_cast<std::size_t>(num_cells) * num_factors, 0.0);
  std::vector<double> counts(num_cells, 0.0);
  for (const int cell : cells) counts[cell] += 1;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const int cell = cells[i / num_factors];
    means[cell * num_factors + i % num_factors] += truth[i] / counts[cell];
  }
  return means;
}

// Returns the mean over rows of the squared distance between the true weights and the weights of
// the row's cell.
double distance_to_cells(std::span<const double> truth, std::span<const int> cells,
                         std::span<const double> cell_weights, int num_factors) {
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error =
        truth[i] - cell_weights[cells[i / num_factors] * num_factors + i % num_factors];
    sum += error * error;
  }
  return sum / static_cast<double>(cells.size());
}

double squared_norm_of_difference(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::span<const double> expert(const SoftModel& model, int k) {
  return std::span(model.experts).subspan(k * model.num_factors(), model.num_factors());
}

}  // namespace

HardDecomposition hard_decomposition(std::span<const double> truth, std::span<const int> cells,
                                     std::span<const double> cell_weights, int num_factors) {
  const std::vector<double> means = cell_means(truth, cells, num_factors);
  HardDecomposition result;
  result.floor = distance_to_cells(truth, cells, means, num_factors);
  result.total = distance_to_cells(truth, cells, cell_weights, num_factors);
  for (const int cell : cells) {
    const std::size_t at = cell * num_factors;
    result.estimation += squared_norm_of_difference(std::span(means).subspan(at, num_factors),
                                                    cell_weights.subspan(at, num_factors)) /
                         static_cast<double>(cells.size());
  }
  return result;
}

double hard_floor(std::span<const double> truth, std::span<const int> cells, int num_factors) {
  return distance_to_cells(truth, cells, cell_means(truth, cells, num_factors), num_factors);
}

ExpertGateParts expert_gate_parts(const SoftModel& estimate, const SoftModel& truth) {
  const int num_factors = truth.num_factors();
  const std::size_t size = truth.num_rows() * num_factors;
  ExpertGateParts parts{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  for (std::size_t i = 0; i < truth.num_rows(); ++i) {
    for (int k = 0; k < truth.num_experts; ++k) {
      const double share = estimate.shares[i * truth.num_experts + k];
      const double share_error = share - truth.shares[i * truth.num_experts + k];
      for (int j = 0; j < num_factors; ++j) {
        parts.expert[i * num_factors + j] += share * (expert(estimate, k)[j] - expert(truth, k)[j]);
        parts.gate[i * num_factors + j] += share_error * expert(truth, k)[j];
      }
    }
  }
  return parts;
}

ExpertGateBound expert_gate_bound(const SoftModel& estimate, const SoftModel& truth) {
  const int num_experts = truth.num_experts;
  const auto n = static_cast<double>(truth.num_rows());
  const std::vector<double> zero(truth.num_factors(), 0.0);
  double largest = 0;
  ExpertGateBound bound;
  for (int k = 0; k < num_experts; ++k) {
    largest = std::max(largest, squared_norm_of_difference(expert(truth, k), zero));
    double mean_share = 0;
    for (std::size_t i = 0; i < truth.num_rows(); ++i)
      mean_share += estimate.shares[i * num_experts + k] / n;
    bound.expert += mean_share * squared_norm_of_difference(expert(estimate, k), expert(truth, k));
  }
  for (std::size_t i = 0; i < truth.num_rows(); ++i) {
    double distance = 0;
    for (int k = 0; k < num_experts; ++k)
      distance +=
          std::abs(estimate.shares[i * num_experts + k] - truth.shares[i * num_experts + k]);
    bound.gate += largest * distance * distance / n;
  }
  return bound;
}

}  // namespace otss::internal
