#pragma once

#include <memory>

#include "learn/methods/method.hpp"

namespace otss::internal {

// Makes the method EM: a mixture of logistic regressions with a softmax gate, fitted by penalised
// maximum likelihood with EM (routed_fit.hpp). The probability of the outcome is
//
//   P(y) = sum_k pi_k(x) P_k(y | z)
//
// where pi_k is the gate's share of expert k, and P_k is the probability according to expert k. EM
// mixes the experts' probabilities, whereas OTSS mixes their linear predictors. The deployed
// weights are w = sum_k pi_k beta_k. The responsibilities P(k | x, z, y) cannot replace pi_k,
// because they depend on the outcome, which is not known when deciding.
std::unique_ptr<ComparisonMethod> make_em(const FitOptions& options);

}  // namespace otss::internal
