#include "lab/worlds/truth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/mixture/mixture_fit.hpp"

namespace otss::internal {

TruthScore score_test_weights(const Simulation& s, std::span<const double> weights) {
  return score_against_truth(weights, s.test.weights, s.decisions(s.test));
}

TruthScore score_test_decisions(const Simulation& s, const Fitted& fitted) {
  const std::vector<double> contexts = encoded_test_contexts(s, fitted);
  const int p = fitted.num_contexts();
  const FeasibleSet& feasible = s.decisions(s.test);
  TruthScore score{.regret = 0, .match_rate = 0};
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto x = std::span(contexts).subspan(i * p, p);
    const auto w_true = std::span(s.test.weights).subspan(i * s.num_factors, s.num_factors);
    const TrueValue value =
        true_value([&](auto z) { return fitted.scorer().score(x, z); }, w_true, feasible.at(i));
    score.regret += value.best - value.chosen;
    score.match_rate += value.chosen >= value.best ? 1 : 0;
  }
  score.regret /= static_cast<double>(s.test.num_rows);
  score.match_rate /= static_cast<double>(s.test.num_rows);
  return score;
}

std::vector<double> encoded_test_contexts(const Simulation& s, const Fitted& fitted) {
  const int p = fitted.num_contexts();
  std::vector<double> x(s.test.num_rows * p);
  std::vector<RawValue> raw;
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    raw.assign(&s.test.contexts[i * s.num_contexts],
               &s.test.contexts[i * s.num_contexts] + s.num_contexts);
    fitted.encoder().encode(raw, std::span(x).subspan(i * p, p));
  }
  return x;
}

std::vector<double> test_weights(const Simulation& s, const Fitted& fitted) {
  std::vector<double> w(s.test.num_rows * s.num_factors);
  fitted.weight_map().weights(s.test.num_rows, encoded_test_contexts(s, fitted), w);
  return w;
}

std::vector<double> oracle_gate_weights(const Simulation& s, std::span<const std::size_t> rows) {
  // If the shares are known, the model is a logistic regression on the columns alpha_k z_j, so it
  // is fitted as a pooled model with these columns as factors.
  const int k = s.num_experts;
  const int p = s.num_contexts;
  const int expanded = k * s.num_factors;
  const std::size_t num_rows = rows.empty() ? s.train.num_rows : rows.size();
  auto features = std::make_shared<TileMatrix>(num_rows, p + expanded);
  std::vector<float> outcomes;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const std::size_t row = rows.empty() ? i : rows[i];
    outcomes.push_back(static_cast<float>(s.train.outcomes[row]));
    for (int j = 0; j < p; ++j)
      features->at(i, j) = static_cast<float>(s.train.contexts[row * p + j]);
    const std::span<const double> z = s.logged_factors(s.train, row);
    for (int e = 0; e < expanded; ++e) {
      const double share = s.train.shares[row * k + e / s.num_factors];
      features->at(i, p + e) = static_cast<float>(share * z[e % s.num_factors]);
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

}  // namespace otss::internal
