// Averages the posterior means of models that differ in K and in the prior on the gate. The average
// is needed because the log leaves two questions open: how many experts there are, and whether all
// context columns affect the gate or only a few.
#pragma once

#include <functional>
#include <vector>

#include "learn/averaging/selection.hpp"
#include "learn/posterior/posterior.hpp"

namespace otss::internal {

struct PosteriorAverage {
  // The members are evenly spaced draws of the posteriors and, with SelectionOptions::smooth, the
  // model whose weights are linear in the context.
  Selection selection;
  // The first posterior is that of the pooled model. The next ones have the all-columns prior, one
  // for each K. The last ones have the few-columns prior, one for each K that has weight; there are
  // none if few_columns_share is 0.
  std::vector<Posterior> posteriors;
  // If a K has both an all-columns and a few-columns posterior, this share of their summed weight
  // belongs to the few-columns posterior.
  double few_columns_share = 0;
};

// Work that needs the weights of the K, and the K above 1 for which a posterior was sampled.
using WhileSampling =
    std::function<void(const Selection& selection, const std::vector<int>& counts)>;

// Weights the pooled model and each K by stacking (Yao et al. 2018). Each row is predicted by
// posterior means given all other rows. If the log has groups, it is predicted by posterior means
// given the rows of all other folds. Held-out rows cannot choose the weight of the few-columns
// prior, because this prior learned its column strengths from all rows. The share of this prior
// grows with the significance of the gain instead. `meanwhile` is called while the posteriors with
// the few-columns prior are sampled: two chains for each K leave threads idle on large machines.
PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress,
                                    const WhileSampling& meanwhile = {});

}  // namespace otss::internal
