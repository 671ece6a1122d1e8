#include "report/sections/mean_weights.hpp"

#include <Eigen/Dense>

#include "otss/model/uncertainty.hpp"

namespace otss::internal {
namespace {

std::vector<double> mean_of_rows(std::span<const double> matrix, std::size_t width) {
  std::vector<double> mean(width, 0.0);
  for (std::size_t i = 0; i < matrix.size(); ++i) mean[i % width] += matrix[i];
  for (double& entry : mean)
    entry *= static_cast<double>(width) / static_cast<double>(matrix.size());
  return mean;
}

// Returns the number of contexts. A model without context columns has one context.
std::size_t num_rows_of(const Fitted& fitted, std::span<const double> x) {
  return fitted.num_contexts() == 0 ? 1 : x.size() / fitted.num_contexts();
}

}  // namespace

std::vector<double> mean_weights(const Fitted& fitted, std::span<const double> x) {
  const std::size_t rows = num_rows_of(fitted, x);
  std::vector<double> w(rows * fitted.num_factors());
  fitted.weight_map().weights(rows, x.first(rows * fitted.num_contexts()), w);
  return mean_of_rows(w, fitted.num_factors());
}

std::vector<double> mean_shares(const Fitted& fitted, std::span<const double> x) {
  if (fitted.mixture() == nullptr) return {};
  const std::size_t rows = num_rows_of(fitted, x);
  std::vector<double> alpha(rows * fitted.num_experts());
  fitted.mixture()->shares(rows, x.first(rows * fitted.num_contexts()), alpha);
  return mean_of_rows(alpha, fitted.num_experts());
}

std::vector<Estimate> with_intervals(const Fitted& fitted, std::span<const double> values,
                                     std::span<const double> x) {
  std::vector<Estimate> result;
  for (const double value : values) result.push_back({value});
  if (!fitted.has_uncertainty()) return result;
  const Uncertainty& uncertainty = fitted.uncertainty();
  const std::size_t rows = num_rows_of(fitted, x);
  const std::vector<double> coefficients(rows, 1.0 / static_cast<double>(rows));
  std::vector<double> draws(static_cast<std::size_t>(uncertainty.num_draws()) * values.size());
  uncertainty.combined_departures(x, coefficients, draws);
  std::vector<double> lo(values.size());
  std::vector<double> hi(values.size());
  uncertainty.interval_of(draws, kReportLevel, Coverage::kEachFactor, lo, hi);
  for (std::size_t j = 0; j < values.size(); ++j) {
    result[j].lo = values[j] + lo[j];
    result[j].hi = values[j] + hi[j];
  }
  return result;
}

SharesOfWeights::SharesOfWeights(const Mixture& mixture, std::span<const double> sds)
    : num_factors_(sds.size()), num_experts_(mixture.num_experts()) {
  const auto last = mixture.expert(mixture.num_experts() - 1);
  Eigen::MatrixXd experts(num_factors_, num_experts_ - 1);
  for (std::size_t k = 0; k + 1 < num_experts_; ++k) {
    const auto expert = mixture.expert(static_cast<int>(k));
    for (std::size_t j = 0; j < num_factors_; ++j) experts(j, k) = (expert[j] - last[j]) * sds[j];
  }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(experts);
  is_determined_ = decomposition.rank() + 1 == static_cast<Eigen::Index>(num_experts_);
  if (!is_determined_) return;
  const Eigen::MatrixXd inverse = decomposition.pseudoInverse();
  for (std::size_t k = 0; k + 1 < num_experts_; ++k) {
    for (std::size_t j = 0; j < num_factors_; ++j) conversion_.push_back(inverse(k, j) * sds[j]);
  }
}

std::vector<double> SharesOfWeights::shares(std::span<const double> changes) const {
  std::vector<double> result;
  for (std::size_t first = 0; first < changes.size(); first += num_factors_) {
    double rest = 0;
    for (std::size_t k = 0; k + 1 < num_experts_; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < num_factors_; ++j)
        sum += conversion_[k * num_factors_ + j] * changes[first + j];
      result.push_back(sum);
      rest -= sum;
    }
    result.push_back(rest);
  }
  return result;
}

}  // namespace otss::internal
