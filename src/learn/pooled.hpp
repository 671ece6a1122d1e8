// One trade-off for everybody: logistic ridge, its two penalties chosen by the data.
#pragma once

#include "learn/mixture_fit.hpp"

namespace otss {

struct PooledFit {
  MixtureFit fit;
  Penalty penalty;  // center and baseline as chosen; OTSS inherits them
};

// Empirical Bayes: each strength is the fixed point of (effective parameters) / |estimate|^2,
// MacKay (1992).
PooledFit fit_pooled(const Problem& problem, int num_threads);

}  // namespace otss
