#include "lab/scoring/known_outcome.hpp"

#include <cmath>
#include <stdexcept>

#include "lab/worlds/truth.hpp"
#include "model/predictor.hpp"

namespace otss::internal {
namespace {

// Returns the linear predictor of each expert for a decision with the factors z.
std::vector<double> expert_predictors(const Fitted& fitted, std::span<const double> x,
                                      std::span<const double> z) {
  const Mixture& mixture = *fitted.mixture();
  const Baseline& baseline = fitted.baseline();
  const std::vector<FactorColumn>& factors = fitted.encoder().factors;
  std::vector<double> eta(mixture.num_experts(), common_baseline(baseline, x));
  for (std::size_t k = 0; k < eta.size(); ++k) {
    eta[k] += baseline.expert_intercepts[k];
    const auto expert = mixture.expert(static_cast<int>(k));
    for (std::size_t j = 0; j < z.size(); ++j) eta[k] += expert[j] * (z[j] - factors[j].center);
  }
  return eta;
}

// Replaces the shares by the responsibilities, given the experts' predictors of a 0/1 outcome.
void condition_on(double outcome, std::span<const double> eta, std::span<double> shares) {
  double total = 0;
  for (std::size_t k = 0; k < eta.size(); ++k)
    total += shares[k] /= 1 + std::exp(outcome > 0 ? -eta[k] : eta[k]);
  for (double& share : shares) share /= total;
}

}  // namespace

std::vector<double> known_outcome_weights(const Simulation& s, const Fitted& fitted) {
  if (!fitted.mixes_probabilities())
    throw std::logic_error(
        "known_outcome_weights: only a mixture of probabilities has latent experts");
  const std::vector<double> contexts = encoded_test_contexts(s, fitted);
  const int p = fitted.num_contexts();
  std::vector<double> weights(s.test.num_rows * s.num_factors, 0.0);
  std::vector<double> shares(fitted.num_experts());
  for (std::size_t i = 0; i < s.test.num_rows; ++i) {
    const auto x = std::span(contexts).subspan(i * p, p);
    fitted.mixture()->shares(x, shares);
    condition_on(s.test.outcomes[i], expert_predictors(fitted, x, s.logged_factors(s.test, i)),
                 shares);
    for (int k = 0; k < fitted.num_experts(); ++k) {
      const auto expert = fitted.mixture()->expert(k);
      for (int j = 0; j < s.num_factors; ++j)
        weights[i * s.num_factors + j] += shares[k] * expert[j];
    }
  }
  return weights;
}

}  // namespace otss::internal
