#pragma once

#include "otss/learn/fit.hpp"

namespace otss {

// Error(kUsage) naming the option that is out of range.
void check_options(const FitOptions& options);

// What the options say, for the model file; without those that change no result.
NamedValues recorded_options(const FitOptions& options);

// Whether the soft mixture is to be fitted as the paper does (methods/paper_recipe.hpp).
bool is_paper_recipe(const FitOptions& options);

}  // namespace otss
