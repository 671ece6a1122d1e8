// Fits the soft mixture as the paper does (`--estimator paper`): one ridge on all parameters,
// random restarts and early stopping. The loss on validation rows chooses the ridge, the restart
// and when to stop. The estimators map and bayes are compared with this estimator.
//
// The paper does not list its grids of settings; it only calls them small. `paper` has ridges that
// reproduce the paper's results on the retail data. `paper-wide` adds stronger ridges, which
// predict better on the retail data (docs/results).
#pragma once

#include "learn/methods/method.hpp"

namespace otss::internal {

std::unique_ptr<ComparisonMethod> make_paper_recipe(const FitOptions& options);

}  // namespace otss::internal
