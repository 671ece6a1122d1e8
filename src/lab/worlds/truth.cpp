#include "lab/worlds/truth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/mixture/mixture_fit.hpp"

namespace otss {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Variance of each factor over all decisions.
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

// What choosing by the estimated weights brings in one context, under the true ones.
struct Choice {
  double best_true = -INFINITY;
  double chosen_true = 0;
};

template <class Score>
Choice choose(const Score& score, std::span<const double> w_true, const ContextDecisions& open) {
  Choice choice;
  double best_score = -INFINITY;
  for (std::size_t d = 0; d < open.size(); ++d) {
    const std::span<const double> z = open.factors(d);
    const double estimated = score(z);
    const double value = dot(w_true, z);
    choice.best_true = std::max(choice.best_true, value);
    if (estimated > best_score) {
      best_score = estimated;
      choice.chosen_true = value;
    }
  }
  return choice;
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
  TruthScore score;
  score.weight_mse = weight_mse(weights, truth, num_factors);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto w = weights.subspan(i * num_factors, num_factors);
    const auto w_true = truth.subspan(i * num_factors, num_factors);
    const Choice choice = choose([w](auto z) { return dot(w, z); }, w_true, feasible.at(i));
    score.regret += choice.best_true - choice.chosen_true;
    score.match_rate += choice.chosen_true >= choice.best_true ? 1 : 0;
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

TruthScore score_test_weights(const Simulation& s, std::span<const double> weights) {
  return score_against_truth(weights, s.test.weights, s.decisions(s.test));
}

TruthScore score_test_decisions(const Simulation& s, const Fitted& fitted) {
  const std::vector<double> contexts = encoded_test_contexts(s, fitted);
  const int p = fitted.num_contexts();
  const FeasibleSet& feasible = s.decisions(s.test);
  TruthScore score{.weight_mse = NAN, .weight_mse_scaled = NAN};
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto x = std::span(contexts).subspan(i * p, p);
    const auto w_true = std::span(s.test.weights).subspan(i * s.num_factors, s.num_factors);
    const Choice choice =
        choose([&](auto z) { return fitted.scorer().score(x, z); }, w_true, feasible.at(i));
    score.regret += choice.best_true - choice.chosen_true;
    score.match_rate += choice.chosen_true >= choice.best_true ? 1 : 0;
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
  // With known shares the model is one logistic regression on the columns alpha_k z_j: the pooled
  // kernel fits it.
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

}  // namespace otss
