// This header computes the linear predictor of an outcome, which is the baseline plus the score.
#pragma once

#include <span>

#include "otss/model/fitted.hpp"

namespace otss::internal {

// Returns the part of the baseline that all experts share: intercept + slopes'x.
double common_baseline(const Baseline& baseline, std::span<const double> x);

// Returns eta. `centered_z` are the factors minus their centers. With `mixes_probabilities`, the
// experts' probabilities are averaged, as in an EM mixture. Otherwise the experts' linear
// predictors are averaged.
double linear_predictor(const Scorer& scorer, const Baseline& baseline, bool mixes_probabilities,
                        std::span<const double> x, std::span<const double> centered_z);

}  // namespace otss::internal
