#pragma once

#include "base/json.hpp"
#include "otss/learn/fit.hpp"

namespace otss {

// Error(kUsage) naming the option that is out of range.
void check_options(const FitOptions& options);

// What the options say, for the model file; without `threads`, which changes nothing.
Json options_to_json(const FitOptions& options);

}  // namespace otss
