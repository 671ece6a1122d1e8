// Fits a logistic regression in one bin of the rate family (rate_family.hpp). The regression has
// kRateFactors weights and no intercept, because the true baseline is 0.
#pragma once

#include <span>

#include "lab/theory/rate_family.hpp"

namespace otss::internal {

enum class LogisticFit {
  kMaximumLikelihood,
  // Firth's method (1993) maximises the likelihood times the square root of the determinant of the
  // Fisher information (Jeffreys' prior). This removes the bias of order 1/rows, which matters in
  // bins of about a hundred rows. The estimate is finite even in separable data.
  kBiasReduced,
};

// Fits the weights. `factors` is a matrix of rows × kRateFactors; `outcomes` are 0 or 1.
RateWeights fit_logistic(std::span<const double> factors, std::span<const float> outcomes,
                         LogisticFit how);

}  // namespace otss::internal
