// The soft mixture as the paper fits it (`--estimator paper`): one ridge on all parameters, random
// restarts and early stopping; the loss on validation rows chooses ridge, restart and stopping. It
// is the reference for the estimators map and bayes. The paper calls its grids small but does not
// list them: `paper` has ridges that reproduce the paper's results on the retail data, `paper-wide`
// adds stronger ones, which predict better there (docs/results).
#pragma once

#include "learn/methods/method.hpp"

namespace otss {

std::unique_ptr<ComparisonMethod> make_paper_recipe(const FitOptions& options);

}  // namespace otss
