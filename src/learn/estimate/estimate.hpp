// Estimates the soft mixture by the estimator kMap or kBayes. The result is an average of several
// fits or posterior draws, and one mixture that is distilled from this average.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "learn/averaging/distill.hpp"
#include "learn/averaging/selection.hpp"
#include "learn/mixture/pooled.hpp"
#include "learn/posterior/posterior_average.hpp"
#include "learn/probabilities/probability_mixture.hpp"
#include "otss/model/method.hpp"

namespace otss::internal {

// Returns the estimator that `auto` stands for. The result is kBayes for few rows, because kBayes
// then predicts better. The result is kMap for many rows, because kMap then is as good and much
// faster (docs/adr/0004). The result is also kMap if there are many encoded context columns
// (defaults::kManyColumns), if the log has groups or times, or if choices.validation is positive.
Estimator automatic_estimator(const LoggedData& log, const SelectionOptions& choices);

struct Estimate {
  // With `--deploy mean`, the model is made from average.selection.members. average.posteriors is
  // empty for kMap.
  PosteriorAverage average;
  Distilled distilled;
  std::string why;  // how the model was chosen, in words
  // The rival of the average. If it was chosen, it is deployed instead of `distilled`.
  ProbabilityMixture probabilities = {};
};

// Estimates the mixture, distils it and says why it was chosen. `any_count` is true if the user
// gave no K; the result may then be the pooled model. `may_blend` is true if penalised fits may be
// averaged with posterior draws. Precondition: `choices.experts` has at least one K.
Estimate estimate_mixture(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                          Estimator estimator, bool any_count, bool may_blend,
                          const SelectionOptions& choices, const SamplingOptions& sampling,
                          const std::function<void(double)>& progress);

// Fits mixtures of probabilities and compares them with what `fit` would deploy: the average, or the
// pooled model. If a mixture of probabilities is better, `fit` has it and says why.
void consider_probabilities(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                            const SelectionOptions& choices, Estimate& fit);

}  // namespace otss::internal
