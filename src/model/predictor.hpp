// The linear predictor of an outcome: baseline and score together.
#pragma once

#include <span>

#include "otss/model/fitted.hpp"

namespace otss {

// From factors z counted from their centres. `mixes_probabilities` averages the experts'
// probabilities (as an EM mixture does) instead of their linear predictors.
double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z);

}  // namespace otss
