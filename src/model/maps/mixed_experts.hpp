// Computes the prediction that a mixture makes from the linear predictors of its experts, and how
// this prediction changes with the experts.
#pragma once

#include <span>

namespace otss::internal {

// Says what a mixture averages over its experts. The average has the shares alpha_k as weights.
enum class Mixed {
  kPredictors,    // eta = sum_k alpha_k eta_k
  kProbabilities  // eta = logit of sum_k alpha_k P_k, where P_k is the logistic function of eta_k
};

// Returns eta. `alpha` has the shares, and `eta` the linear predictors eta_k of the experts. The
// result is right even if an average probability is rounded to 0 or 1.
double mixed_predictor(Mixed mixed, std::span<const double> alpha, std::span<const double> eta);

// Computes the derivatives of mixed_predictor(). by_score[k] is the derivative with respect to the
// gate score of expert k; alpha is the softmax of the gate scores. by_predictor[k] is the derivative
// with respect to eta_k.
void expert_effects(Mixed mixed, std::span<const double> alpha, std::span<const double> eta,
                    std::span<double> by_score, std::span<double> by_predictor);

}  // namespace otss::internal
