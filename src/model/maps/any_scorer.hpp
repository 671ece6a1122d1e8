// AnyScorer is a variant that can hold every kind of scorer that a model can have.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "model/maps/soft_mixture.hpp"
#include "model/maps/tree_scorer.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss::internal {

using AnyScorer =
    std::variant<std::shared_ptr<const SoftMixture>, std::shared_ptr<const LinearWeights>,
                 std::shared_ptr<const NetworkWeights>, std::shared_ptr<const TreeScorer>>;

const Scorer& as_scorer(const AnyScorer& scorer);

// Returns the scorer as a soft mixture, or null if the scorer is not a soft mixture.
std::shared_ptr<const SoftMixture> as_soft_mixture(const AnyScorer& scorer);

// Converts a scorer of standardised factors z to a scorer of factors in the log's units, which are
// z * scale + center. Weights are divided by the scales, and the thresholds of trees are converted.
AnyScorer in_units(const AnyScorer& scorer, std::span<const double> centers,
                   std::span<const double> scales);

}  // namespace otss::internal
