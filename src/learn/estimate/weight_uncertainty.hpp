// Computes the uncertainty of a fit's weights in the form that the model file stores.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "learn/deploy/standardised_model.hpp"
#include "learn/estimate/averaged_fits.hpp"
#include "learn/estimate/estimate.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss::internal {

struct WeightUncertainty {
  AnyUncertainty uncertainty;
  // Says why there is no uncertainty, or why the uncertainty is doubtful. The text is empty if
  // neither is the case.
  std::string warning;
};

// Returns the uncertainty of the deployed weights. If posteriors were sampled, the result has draws
// from them. If several penalised fits were averaged, it has draws from their normal laws
// (averaged_fits.hpp). Otherwise the result has the covariance of the deployed mixture's parameters.
// This covariance includes a penalty: that of the penalised fit with the largest weight among those
// with the same number of experts, or else the strengths of a posterior. Logs with groups never get
// draws from posteriors, because posteriors treat all rows as independent. A mixture of probabilities
// has the covariance of its own parameters, with its own penalty.
//
// `covariance_of` computes the covariance of parameters that were fitted with a given penalty.
// `hidden_variance` is the variance over contexts, per standardised factor, that is added to the
// error of a model with one trade-off (hidden_differences.hpp); it is 0 for other models.
//
// `standardised` is the deployed model in the units of `problem`, with a gate that is linear in the
// problem's columns; `mixture` is the same model in the log's units.
WeightUncertainty weight_uncertainty(const LoggedData& log, const Problem& problem,
                                     const PooledFit& pooled, const Estimate& fit,
                                     const StandardisedModel& standardised,
                                     std::shared_ptr<const SoftMixture> mixture,
                                     const CovarianceOf& covariance_of, double hidden_variance,
                                     int num_threads);

}  // namespace otss::internal
