#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Mixture of logistic regressions with a softmax gate, fitted by penalised maximum likelihood with
// EM (routed_fit.hpp):
//
//   P(y) = sum_k pi_k(x) P_k(y | z)
//
// It mixes probabilities, whereas OTSS mixes linear predictors. It deploys w = sum_k pi_k beta_k:
// responsibilities need the outcome, which is not known when deciding, so the gate replaces them.
std::unique_ptr<ComparisonMethod> make_em(const FitOptions& options);

}  // namespace otss
