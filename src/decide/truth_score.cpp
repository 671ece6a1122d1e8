#include "decide/truth_score.hpp"

#include <vector>

namespace otss::internal {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Returns the variance of each factor over all decisions.
std::vector<double> factor_variances(const FeasibleSet& feasible) {
  const int num_factors = feasible.num_factors();
  const std::span<const double> z = feasible.factors();
  const double share = static_cast<double>(num_factors) / static_cast<double>(z.size());
  std::vector<double> means(num_factors, 0.0);
  std::vector<double> variances(num_factors, 0.0);
  for (std::size_t i = 0; i < z.size(); ++i) means[i % num_factors] += z[i] * share;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double deviation = z[i] - means[i % num_factors];
    variances[i % num_factors] += deviation * deviation * share;
  }
  return variances;
}

}  // namespace

double weight_mse(std::span<const double> weights, std::span<const double> truth, int num_factors) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    sum += (weights[i] - truth[i]) * (weights[i] - truth[i]);
  return sum * num_factors / static_cast<double>(weights.size());
}

TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible) {
  const int num_factors = feasible.num_factors();
  const std::size_t rows = weights.size() / num_factors;
  const std::vector<double> variances = factor_variances(feasible);
  TruthScore score{.weight_mse_scaled = 0, .regret = 0, .match_rate = 0};
  score.weight_mse = weight_mse(weights, truth, num_factors);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto w = weights.subspan(i * num_factors, num_factors);
    const auto w_true = truth.subspan(i * num_factors, num_factors);
    const TrueValue value = true_value([w](auto z) { return dot(w, z); }, w_true, feasible.at(i));
    score.regret += value.best - value.chosen;
    score.match_rate += value.chosen >= value.best ? 1 : 0;
    for (int j = 0; j < num_factors; ++j) {
      score.weight_mse_scaled += variances[j] * (w[j] - w_true[j]) * (w[j] - w_true[j]);
    }
  }
  const auto n = static_cast<double>(rows);
  score.regret /= n;
  score.match_rate /= n;
  score.weight_mse_scaled /= n;
  return score;
}

}  // namespace otss::internal
