// The pooled model, one trade-off for everybody: a ridge regression in the outcome's family with
// two penalty strengths, estimated from the data.
#pragma once

#include "learn/mixture/mixture_fit.hpp"

namespace otss {

struct PooledFit {
  MixtureFit fit;
  Penalty penalty;  // with estimated center and baseline, which OTSS uses too
};

// theta of the model that predicts (nearly) the mean outcome for every row. Pooled fits start from
// it, so that outcomes far from 0, such as counts in the millions, need no more steps.
std::vector<double> constant_model(const Problem& problem);

// Empirical Bayes: each strength is the fixed point of (effective number of parameters) /
// |estimate|^2 (MacKay 1992).
PooledFit fit_pooled(const Problem& problem, int num_threads);

}  // namespace otss
