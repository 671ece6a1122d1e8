// The linear predictor of an outcome: baseline and score together.
#pragma once

#include <span>

#include "otss/model/fitted.hpp"

namespace otss {

// eta for centred factors, z - center. With `mixes_probabilities`, the experts' probabilities are
// averaged (as in an EM mixture) instead of their linear predictors.
double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z);

}  // namespace otss
