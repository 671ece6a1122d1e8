// Posterior means of several K as one average: how many experts a log supports, and whether all
// context columns move the gate or only a few, is uncertain too.
#pragma once

#include <functional>
#include <vector>

#include "learn/averaging/selection.hpp"
#include "learn/posterior/posterior.hpp"

namespace otss {

struct PosteriorAverage {
  Selection selection;                // members are draws, thinned
  std::vector<Posterior> posteriors;  // of the pooled model, then of each K
  double few_columns_share = 0;       // of the posteriors that believe in few columns
};

// The pooled model and each K are weighed by the logits their posterior means predict for rows left
// out (stacking, Yao et al. 2018). Left-out rows cannot judge the belief in few columns, which has
// chosen its columns by all of them: its share grows with how sure heterogeneity is.
PosteriorAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                    const PooledFit& pooled, const SelectionOptions& selection,
                                    const SamplingOptions& options,
                                    const std::function<void(double)>& progress);

}  // namespace otss
