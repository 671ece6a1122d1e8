#include "model/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "model/maps/quadratic.hpp"

namespace otss::internal {
namespace {

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

// Returns log(sum_k alpha_k exp(t_k)). The result is right even if every exp(t_k) is rounded to 0.
double log_mean_exp(std::span<const double> alpha, std::span<const double> t) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (alpha[k] > 0) largest = std::max(largest, t[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    if (alpha[k] > 0) sum += alpha[k] * std::exp(t[k] - largest);
  }
  return largest + std::log(sum);
}

// Returns the logit of the average of the experts' probabilities logistic(eta_k).
double mixed_logit(std::span<const double> alpha, std::vector<double>& eta) {
  double certain = 0;  // the average of P(y = 1)
  double rest = 0;     // the average of P(y = 0); computing it as 1 - P(y = 1) would lose digits
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    certain += alpha[k] * logistic(eta[k]);
    rest += alpha[k] * logistic(-eta[k]);
  }
  if (certain > 0 && rest > 0) return std::log(certain / rest);
  // One outcome is so unlikely that its probability is rounded to 0. If this is y = 1, the logit is
  // log P(y = 1), and P(y = 1) is the average of exp(eta_k). If this is y = 0, the logit is
  // -log P(y = 0), and P(y = 0) is the average of exp(-eta_k).
  const bool never = certain == 0;
  if (!never) std::ranges::transform(eta, eta.begin(), std::negate<>());
  return never ? log_mean_exp(alpha, eta) : -log_mean_exp(alpha, eta);
}

// Returns the linear predictor of a mixture. Without `mixes_probabilities`, this is the average of
// the experts' linear predictors. With `mixes_probabilities`, it is the logit of the average of the
// experts' probabilities.
double mixed_predictor(const Mixture& mixture, const Baseline& baseline, bool mixes_probabilities,
                       std::span<const double> x, std::span<const double> z) {
  std::vector<double> alpha(mixture.num_experts());
  mixture.shares(x, alpha);
  const double common = common_baseline(baseline, x);
  std::vector<double> eta(alpha.size());
  double mean = 0;
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    eta[k] = common + baseline.expert_intercepts[k];
    const auto expert = mixture.expert(static_cast<int>(k));
    for (std::size_t j = 0; j < z.size(); ++j) eta[k] += expert[j] * z[j];
    mean += alpha[k] * eta[k];
  }
  return mixes_probabilities ? mixed_logit(alpha, eta) : mean;
}

}  // namespace

double common_baseline(const Baseline& baseline, std::span<const double> x) {
  std::vector<double> monomials;
  if (baseline.slopes.size() != x.size()) {
    monomials.resize(baseline.slopes.size());
    quadratic_columns(x, monomials);
    x = monomials;
  }
  double sum = baseline.intercept;
  for (std::size_t j = 0; j < x.size(); ++j) sum += baseline.slopes[j] * x[j];
  return sum;
}

double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z) {
  if (const Mixture* mixture = scorer.as_mixture())
    return mixed_predictor(*mixture, baseline, mixes_probabilities, x, centered_z);
  return common_baseline(baseline, x) + scorer.score(x, centered_z);
}

}  // namespace otss::internal
