// Estimates the soft mixture by the estimator kMap or kBayes. The result is an average of several
// fits or posterior draws, and one mixture that is distilled from this average.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

// What is estimated, and how.
struct EstimatePlan {
  Estimator estimator = Estimator::kMap;  // kMap or kBayes
  bool any_count = false;  // true if the user gave no K; the result may then be the pooled model
  bool may_blend = false;  // true if penalised fits may be averaged with posterior draws
  // If choices.experts is empty, the pooled model is estimated.
  SelectionOptions choices;
  SamplingOptions sampling;
  // Of the fit to all rows of a large log (FitEffort).
  double final_gain = kFinalGain;
  double value_noise = kNoiseOfDouble;
};

struct Estimate {
  // With `--deploy mean`, the model is made from average.selection.members. average.posteriors is
  // empty for kMap.
  PosteriorAverage average;
  Distilled distilled;
  std::string why;  // how the model was chosen, in words
  // The number of rows on which the settings were chosen; absent if these are all rows.
  std::optional<std::size_t> chosen_on = {};
  // The share of the average in the deployed model; the pooled model has the rest. It is 1 if the
  // average predicts held-out rows better than the pooled model.
  double average_share = 1;
  // The rival of the average. If it was chosen, it is deployed instead of `distilled`.
  ProbabilityMixture probabilities = {};
};

// Estimates the mixture, distils it and says why it was chosen.
Estimate estimate_mixture(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                          const EstimatePlan& plan, const std::function<void(double)>& progress);

// Returns the penalised fit that has the largest weight among those with this number of experts, or
// null if there is none.
const Member* heaviest_fit(const Estimate& estimate, int num_experts);

// Returns the penalty of heaviest_fit(). If there is no such fit, returns the typical strengths of a
// posterior with this number of experts, or else the penalty of the pooled fit.
Penalty deployed_penalty(const Estimate& estimate, const PooledFit& pooled, int num_experts);

// Fits mixtures of probabilities and compares them with what `fit` would deploy: the average, or the
// pooled model. If a mixture of probabilities is better, `fit` has it and says why.
void consider_probabilities(const LoggedData& log, const Problem& problem, const PooledFit& pooled,
                            const SelectionOptions& choices, Estimate& fit);

}  // namespace otss::internal
