#include "model/maps/mixed_experts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace otss::internal {
namespace {

double logistic(double t) { return 1 / (1 + std::exp(-t)); }

// The averages of the experts' probabilities of y = 1 and of y = 0. The second is not computed as 1
// minus the first, because this would lose digits.
struct AverageProbabilities {
  double one = 0, zero = 0;

  AverageProbabilities(std::span<const double> alpha, std::span<const double> eta) {
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      one += alpha[k] * logistic(eta[k]);
      zero += alpha[k] * logistic(-eta[k]);
    }
  }
};

double mean_of(std::span<const double> alpha, std::span<const double> eta) {
  double mean = 0;
  for (std::size_t k = 0; k < alpha.size(); ++k) mean += alpha[k] * eta[k];
  return mean;
}

// Returns log(sum_k alpha_k exp(sign eta_k)). The result is right even if every exp() is rounded to
// 0.
double log_mean_exp(std::span<const double> alpha, std::span<const double> eta, double sign) {
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < eta.size(); ++k) {
    if (alpha[k] > 0) largest = std::max(largest, sign * eta[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < eta.size(); ++k) {
    if (alpha[k] > 0) sum += alpha[k] * std::exp(sign * eta[k] - largest);
  }
  return largest + std::log(sum);
}

}  // namespace

double mixed_predictor(Mixed mixed, std::span<const double> alpha, std::span<const double> eta) {
  if (mixed == Mixed::kPredictors) return mean_of(alpha, eta);
  const AverageProbabilities average(alpha, eta);
  if (average.one > 0 && average.zero > 0) return std::log(average.one / average.zero);
  // One outcome is so unlikely that its probability is rounded to 0. If this is y = 1, the logit is
  // log P(y = 1), and P(y = 1) is the average of exp(eta_k). If this is y = 0, the logit is
  // -log P(y = 0), and P(y = 0) is the average of exp(-eta_k).
  return average.one == 0 ? log_mean_exp(alpha, eta, 1) : -log_mean_exp(alpha, eta, -1);
}

// With P = sum_k alpha_k P_k and Q = 1 - P,
//
//   d logit(P) / d eta_k = alpha_k P_k (1 - P_k) / (P Q)
//   d logit(P) / d score_k = alpha_k (P_k - P) / (P Q) = alpha_k (P_k / P - (1 - P_k) / Q)
void expert_effects(Mixed mixed, std::span<const double> alpha, std::span<const double> eta,
                    std::span<double> by_score, std::span<double> by_predictor) {
  if (mixed == Mixed::kPredictors) {
    const double mean = mean_of(alpha, eta);
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      by_score[k] = alpha[k] * (eta[k] - mean);
      by_predictor[k] = alpha[k];
    }
    return;
  }
  constexpr double kLeast = 1e-300;  // so that a probability that is rounded to 0 can be divided by
  const AverageProbabilities average(alpha, eta);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    const double one = logistic(eta[k]) / std::max(average.one, kLeast);
    const double zero = logistic(-eta[k]) / std::max(average.zero, kLeast);
    by_score[k] = alpha[k] * (one - zero);
    by_predictor[k] = alpha[k] * one * zero;
  }
}

}  // namespace otss::internal
