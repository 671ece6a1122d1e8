// Averages the posterior means of models that differ in K and in the prior on the gate, because two
// more things are uncertain: how many experts the log supports, and whether all context columns
// affect the gate or only a few.
#pragma once

#include <functional>
#include <vector>

#include "learn/averaging/selection.hpp"
#include "learn/posterior/posterior.hpp"

namespace otss::internal {

struct PosteriorAverage {
  Selection selection;  // its members are evenly spaced draws
  // The posterior of the pooled model, then one for each K, then those with the few-columns prior.
  std::vector<Posterior> posteriors;
  double few_columns_share = 0;  // weight of the few-columns posterior within its K
};

// Weights the pooled model and each K by stacking (Yao et al. 2018). The stacked linear predictors
// are leave-one-out posterior means. Held-out rows cannot weight the few-columns prior, because
// this prior learned its column strengths from all rows; its share grows with the significance of
// the gain instead.
PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress);

}  // namespace otss::internal
