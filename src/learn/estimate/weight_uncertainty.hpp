// Computes the uncertainty of a fit's weights in the form that the model file stores.
#pragma once

#include <memory>
#include <string>

#include "learn/deploy/standardised_model.hpp"
#include "learn/estimate/estimate.hpp"
#include "learn/units/marginal_fit.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss::internal {

struct WeightUncertainty {
  AnyUncertainty uncertainty;
  // Says why there is no uncertainty, or why the uncertainty is doubtful. The text is empty if
  // neither is the case.
  std::string warning;
};

// Returns the penalty that belongs to the distilled model: that of the penalised fit with the largest
// weight among those with the same number of experts, or else the typical strengths of a posterior
// with this number of experts, or else the penalty of the pooled fit.
Penalty deployed_penalty(const Estimate& fit, const PooledFit& pooled, int num_experts);

// Returns the uncertainty of the deployed weights. If posteriors were sampled, the result has draws
// from them. Otherwise the result has the covariance of the deployed mixture's parameters. This
// covariance includes a penalty: that of the penalised fit with the largest weight among those with
// the same number of experts, or else the strengths of a posterior. Logs with groups always get the
// covariance, because the draws treat all rows as independent.
//
// If `with_units` is not null, it has the fit with units' deviations. The covariance is then that of the
// marginal likelihood, clustered by group.
//
// `standardised` is the deployed model in the units of `problem`, with a gate that is linear in the
// problem's columns; `mixture` is the same model in the log's units.
WeightUncertainty weight_uncertainty(const LoggedData& log, const Problem& problem,
                                     const PooledFit& pooled, const Estimate& fit,
                                     const StandardisedModel& standardised,
                                     std::shared_ptr<const SoftMixture> mixture,
                                     const MarginalFit* with_units, int num_threads);

}  // namespace otss::internal
