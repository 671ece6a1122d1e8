#include "lab/truth.hpp"

#include <algorithm>
#include <cmath>

#include "learn/mixture_fit.hpp"

namespace otss {
namespace {

double dot(const double* a, const double* b, int size) {
  double sum = 0;
  for (int j = 0; j < size; ++j) sum += a[j] * b[j];
  return sum;
}

// Variance of each factor over the library.
std::vector<double> library_variances(std::span<const double> library, int num_factors) {
  const std::size_t m = library.size() / num_factors;
  std::vector<double> variances(num_factors, 0.0);
  for (int j = 0; j < num_factors; ++j) {
    double mean = 0;
    for (std::size_t d = 0; d < m; ++d)
      mean += library[d * num_factors + j] / static_cast<double>(m);
    for (std::size_t d = 0; d < m; ++d) {
      const double deviation = library[d * num_factors + j] - mean;
      variances[j] += deviation * deviation / static_cast<double>(m);
    }
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
                               std::span<const double> library, int num_factors) {
  const std::size_t rows = weights.size() / num_factors;
  const std::size_t m = library.size() / num_factors;
  const std::vector<double> variances = library_variances(library, num_factors);
  TruthScore score;
  score.weight_mse = weight_mse(weights, truth, num_factors);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* w = &weights[i * num_factors];
    const double* w_true = &truth[i * num_factors];
    double best_score = -INFINITY;
    double best_true = -INFINITY;
    double chosen_true = 0;
    for (std::size_t d = 0; d < m; ++d) {
      const double* z = &library[d * num_factors];
      const double estimated = dot(w, z, num_factors);
      const double value = dot(w_true, z, num_factors);
      best_true = std::max(best_true, value);
      if (estimated > best_score) {
        best_score = estimated;
        chosen_true = value;
      }
    }
    score.regret += best_true - chosen_true;
    score.match_rate += chosen_true >= best_true ? 1 : 0;
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

std::vector<double> test_weights(const Simulation& s, const Fitted& fitted) {
  std::vector<double> x(s.test.num_rows * fitted.num_contexts());
  std::vector<RawValue> raw;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    raw.assign(&s.test.contexts[i * s.num_contexts],
               &s.test.contexts[i * s.num_contexts] + s.num_contexts);
    fitted.encoder().encode(raw,
                            std::span(x).subspan(i * fitted.num_contexts(), fitted.num_contexts()));
  }
  std::vector<double> w(s.test.num_rows * s.num_factors);
  fitted.weight_map().weights(s.test.num_rows, x, w);
  return w;
}

std::vector<double> oracle_gate_weights(const Simulation& s) {
  // With known shares the model is one logistic regression on the columns alpha_k z_j: the pooled
  // kernel fits it.
  const int k = s.num_experts;
  const int p = s.num_contexts;
  const int expanded = k * s.num_factors;
  auto features = std::make_shared<TileMatrix>(s.train.num_rows, p + expanded);
  std::vector<float> outcomes(s.train.outcomes.begin(), s.train.outcomes.end());
  for (std::size_t i = 0; i < s.train.num_rows; ++i) {
    for (int j = 0; j < p; ++j)
      features->at(i, j) = static_cast<float>(s.train.contexts[i * p + j]);
    for (int e = 0; e < expanded; ++e) {
      const double z = s.library[s.train.decisions[i] * s.num_factors + e % s.num_factors];
      features->at(i, p + e) = static_cast<float>(s.train.shares[i * k + e / s.num_factors] * z);
    }
  }
  const Problem problem{features, p, SignedWeights(outcomes)};
  const Penalty none{
      .gate = 0, .gate_intercept = 0, .expert = 1e-6, .center = 1e-6, .baseline = 1e-6};
  const MixtureLayout layout = problem.layout(1);
  const MixtureFit fit =
      fit_mixture(problem, none, layout, std::vector<double>(layout.size(), 0.0), {});
  std::vector<double> w(s.test.num_rows * s.num_factors, 0.0);
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    for (int e = 0; e < expanded; ++e) {
      w[i * s.num_factors + e % s.num_factors] +=
          s.test.shares[i * k + e / s.num_factors] * fit.theta[layout.expert(0) + e];
    }
  }
  return w;
}

}  // namespace otss
