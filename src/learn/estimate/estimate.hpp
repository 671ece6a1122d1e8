// The soft mixture, estimated one way or the other: an average of members and the one mixture that
// stands for it.
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

// kMap or kBayes. Sampling pays where rows are few; with many, the average of penalised fits is as good and takes a
// fraction of the time (docs/adr/0004). Logs with groups take kMap.
Estimator automatic_estimator(const LoggedData& log, const SelectionOptions& choices);

struct Estimate {
  PosteriorAverage
      average;  // selection.members is what `--deploy mean` keeps; no posteriors for kMap
  Distilled distilled;
  std::string why;  // this model, in words
};

// `choices.experts` must name at least one K. `any_count` says that none was asked for, so that the
// pooled model may be the answer; `may_blend`, that members need not all be draws.
Estimate estimate_mixture(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                          Estimator estimator, bool any_count, bool may_blend,
                          const SelectionOptions& choices, const SamplingOptions& sampling,
                          const std::function<void(double)>& progress);

}  // namespace otss
