// Fits the pooled model, one trade-off for everybody. The model is a ridge regression in the
// outcome's family. Its two penalty strengths are estimated from the log.
#pragma once

#include "learn/mixture/mixture_fit.hpp"

namespace otss::internal {

struct PooledFit {
  MixtureFit fit;
  // This penalty has the estimated strengths `center` and `baseline`. Fits of OTSS use them too.
  Penalty penalty;
};

// Returns theta of a model that predicts (nearly) the mean outcome for every row. Pooled fits start
// from this theta. So a fit to outcomes far from 0, such as counts in the millions, takes no more
// steps than a fit to outcomes near 0.
std::vector<double> constant_model(const Problem& problem);

// Fits the pooled model. The strengths are estimated by empirical Bayes: at the end, each strength
// equals (effective number of parameters) / |estimate|^2 over the parameters that it penalises
// (MacKay 1992).
PooledFit fit_pooled(const Problem& problem, int num_threads);

}  // namespace otss::internal
