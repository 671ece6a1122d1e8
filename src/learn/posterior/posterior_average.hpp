// Averages the posterior means of several K, because two more things are uncertain: how many
// experts the log supports, and whether all context columns matter to the gate or only a few.
#pragma once

#include <functional>
#include <vector>

#include "learn/averaging/selection.hpp"
#include "learn/posterior/posterior.hpp"

namespace otss {

struct PosteriorAverage {
  Selection selection;                // its members are thinned draws
  std::vector<Posterior> posteriors;  // pooled model, each K, then few-columns priors
  double few_columns_share = 0;       // share of the posteriors with the few-columns prior
};

// Weights the pooled model and each K by stacking (Yao et al. 2018) of the linear predictors that
// their posterior means give for held-out rows, by leave-one-out. Held-out rows cannot weight the
// few-columns prior, which learned its column strengths from all rows: its share grows with the
// significance of the gain instead.
PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress);

}  // namespace otss
