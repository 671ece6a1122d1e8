// Every kind of scorer that the library deploys. Learners make them, the model file keeps them.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "model/maps/soft_mixture.hpp"
#include "model/maps/tree_scorer.hpp"
#include "model/maps/weight_maps.hpp"

namespace otss {

using AnyScorer =
    std::variant<std::shared_ptr<const SoftMixture>, std::shared_ptr<const LinearWeights>,
                 std::shared_ptr<const NetworkWeights>, std::shared_ptr<const TreeScorer>>;

const Scorer& as_scorer(const AnyScorer& scorer);

// The mixture, or null where the scorer is of another kind.
std::shared_ptr<const SoftMixture> as_soft_mixture(const AnyScorer& scorer);

// The same scorer for factors counted in another unit from another origin: z * scale + center.
// Weights are divided by the scales; the thresholds of trees, which have no weights, are moved. How
// a model of standardised factors comes to speak of the log's own columns.
AnyScorer in_units(const AnyScorer& scorer, std::span<const double> centers,
                   std::span<const double> scales);

}  // namespace otss
