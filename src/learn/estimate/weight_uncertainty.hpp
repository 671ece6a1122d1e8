// What is known about a fit's weights beyond their best values, as the model file keeps it.
#pragma once

#include <memory>
#include <string>

#include "learn/deploy/standardised_model.hpp"
#include "learn/estimate/estimate.hpp"
#include "model/uncertainty/any_uncertainty.hpp"

namespace otss {

struct WeightUncertainty {
  AnyUncertainty uncertainty;
  std::string warning;  // a sentence: why there is none, or why it is doubtful; else empty
};

// Draws of a posterior as they are; else the covariance of the parameters of the deployed mixture,
// by the penalty of the fit that weighs most in it. Groups always need the second: draws know
// nothing of rows that depend on each other.
//
// `standardised` is the deployed model in the units of `problem`, its gate linear over the
// problem's columns; `mixture` is the same model as it is deployed, in the log's own units.
WeightUncertainty weight_uncertainty(const LoggedData& log, const Problem& problem,
                                     const PooledFit& pooled, const Estimate& fit,
                                     const StandardisedModel& standardised,
                                     std::shared_ptr<const SoftMixture> mixture, int num_threads);

}  // namespace otss
