#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss {

// Mixture of logistic regressions behind a softmax gate, by penalised maximum likelihood through EM
// (routed_fit.hpp):  P(y) = sum_k pi_k(x) P_k(y | z).  It mixes probabilities where OTSS mixes
// linear predictors. It deploys w = sum_k pi_k beta_k: the outcome is not known when deciding, so
// the gate stands in for the responsibilities.
std::unique_ptr<ComparisonMethod> make_em(const FitOptions& options);

}  // namespace otss
