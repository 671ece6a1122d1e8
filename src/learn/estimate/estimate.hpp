// Estimates the soft mixture by kMap or kBayes: an average of members, and one mixture distilled
// from it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "learn/averaging/distill.hpp"
#include "learn/averaging/selection.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/posterior/posterior_average.hpp"
#include "otss/model/method.hpp"

namespace otss {

// The estimator that `auto` stands for, kMap or kBayes. Sampling predicts better where rows are
// few; with many rows the average of penalised fits is as good and much faster (docs/adr/0004).
// Logs with groups take kMap.
Estimator automatic_estimator(const LoggedData& log, const SelectionOptions& choices);

struct Estimate {
  // selection.members is what `--deploy mean` deploys; `posteriors` is empty for kMap.
  PosteriorAverage average;
  Distilled distilled;
  std::string why;  // how the model was chosen, in words
};

// Precondition: `choices.experts` has at least one K. `any_count`: the user asked for no K, so the
// result may be the pooled model. `may_blend`: penalised fits may be averaged with posterior draws.
Estimate estimate_mixture(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                          Estimator estimator, bool any_count, bool may_blend,
                          const SelectionOptions& choices, const SamplingOptions& sampling,
                          const std::function<void(double)>& progress);

}  // namespace otss
