#include "decide/truth_score.hpp"

#include <vector>

namespace otss::internal {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double mean(std::span<const double> values) {
  if (values.empty()) return TruthScore::kNone;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
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

TruthRows rows_against_truth(std::span<const double> weights, std::span<const double> truth,
                             int num_factors, const FeasibleSet* feasible) {
  TruthRows out;
  std::vector<double> variances;
  if (feasible != nullptr) variances = factor_variances(*feasible);
  const std::size_t rows = weights.size() / num_factors;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto w = weights.subspan(i * num_factors, num_factors);
    const auto w_true = truth.subspan(i * num_factors, num_factors);
    out.weight_mse.push_back(weight_mse(w, w_true, num_factors));
    if (feasible == nullptr) continue;
    const TrueValue value = true_value([w](auto z) { return dot(w, z); }, w_true, feasible->at(i));
    out.regret.push_back(value.best - value.chosen);
    out.match_rate.push_back(value.chosen >= value.best ? 1 : 0);
    double scaled = 0;
    for (int j = 0; j < num_factors; ++j)
      scaled += variances[j] * (w[j] - w_true[j]) * (w[j] - w_true[j]);
    out.weight_mse_scaled.push_back(scaled);
  }
  return out;
}

TruthScore score_against_truth(std::span<const double> weights, std::span<const double> truth,
                               const FeasibleSet& feasible) {
  return truth_score(rows_against_truth(weights, truth, feasible.num_factors(), &feasible));
}

TruthScore truth_score(const TruthRows& rows) {
  return {.weight_mse = mean(rows.weight_mse),
          .weight_mse_scaled = mean(rows.weight_mse_scaled),
          .regret = mean(rows.regret),
          .match_rate = mean(rows.match_rate)};
}

}  // namespace otss::internal
