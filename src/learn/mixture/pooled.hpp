// One trade-off for everybody: a ridge regression of the outcome's family, its two penalties chosen
// by the data.
#pragma once

#include "learn/mixture/mixture_fit.hpp"

namespace otss {

struct PooledFit {
  MixtureFit fit;
  Penalty penalty;  // center and baseline as chosen; OTSS inherits them
};

// theta of the model that predicts (nearly) the mean outcome for every row: where pooled fits
// start, so that counts in the millions are as near as 0 and 1.
std::vector<double> constant_model(const Problem& problem);

// Empirical Bayes: each strength is the fixed point of (effective parameters) / |estimate|^2,
// MacKay (1992).
PooledFit fit_pooled(const Problem& problem, int num_threads);

}  // namespace otss
