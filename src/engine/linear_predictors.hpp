// Computes the linear predictor eta of every row in f64, for diagnostics and held-out losses.
#pragma once

#include <span>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Sets eta[i] for every row i of `features`. No row is skipped, not even a row of weight 0.
// `mixed` says what eta averages over the experts.
void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta,
                       Mixed mixed = Mixed::kPredictors);

}  // namespace otss::internal
