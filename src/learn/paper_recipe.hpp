// The soft mixture as the paper fits it (`--estimator paper`): one ridge on everything, random
// restarts, early stopping; ridge, restart and stopping all chosen by the loss of validation rows.
// What our own estimators are compared with.
#pragma once

#include "learn/method.hpp"

namespace otss {

std::unique_ptr<Method> make_paper_recipe(const FitOptions& options);

}  // namespace otss
