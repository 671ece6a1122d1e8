// The soft mixture as the paper fits it (`--estimator paper`): one ridge on everything, random
// restarts, early stopping; ridge, restart and stopping all chosen by the loss of validation rows.
// What our own estimators are compared with. The paper says that its grids are small, not what is
// in them: `paper` has ridges that reproduce its level on the retail data, `paper-wide` goes on to
// stronger ones, which do better there (docs/results).
#pragma once

#include "learn/methods/method.hpp"

namespace otss {

std::unique_ptr<ComparisonMethod> make_paper_recipe(const FitOptions& options);

}  // namespace otss
