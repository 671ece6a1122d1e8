#pragma once

#include "otss/learn/fit.hpp"

namespace otss::internal {

// Throws Error(kUsage) that names the first option that is out of range.
void check_options(const FitOptions& options);

// Returns the options as named values for the model file. Options that do not affect the result are
// left out.
NamedValues recorded_options(const FitOptions& options);

// True if the options ask for the paper's own estimator (methods/paper_recipe.hpp).
bool is_paper_recipe(const FitOptions& options);

}  // namespace otss::internal
