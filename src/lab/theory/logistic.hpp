// Logistic regression of a bin of the rate family: a handful of weights, no intercept (b* = 0).
#pragma once

#include <span>

#include "lab/theory/rate_family.hpp"

namespace otss {

enum class LogisticFit {
  kMaximumLikelihood,
  // Firth (1993): the likelihood times the root of the determinant of its information (Jeffreys'
  // prior). It takes away the bias of first order in 1/rows, which maximum likelihood has in bins
  // of a hundred rows, and exists on separated rows too.
  kBiasReduced,
};

// `factors` are rows × kRateFactors, `outcomes` 0 or 1.
RateWeights fit_logistic(std::span<const double> factors, std::span<const float> outcomes,
                         LogisticFit how);

}  // namespace otss
