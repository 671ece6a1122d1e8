// Posterior means of several K as one average: how many experts a log supports is uncertain too.
#pragma once

#include <functional>
#include <vector>

#include "learn/bayes.hpp"
#include "learn/selection.hpp"

namespace otss {

struct BayesAverage {
  Selection selection;                // members are the draws
  std::vector<Posterior> posteriors;  // of the pooled model, then of each K
};

// One K asked for is that K alone. Several, and the pooled model, are weighed by the logits their
// posterior means predict for rows left out (stacking, Yao et al. 2018).
BayesAverage average_posteriors(const LoggedData& log, const Problem& problem,
                                const PooledFit& pooled, const SelectionOptions& selection,
                                const BayesOptions& options,
                                const std::function<void(double)>& progress);

}  // namespace otss
