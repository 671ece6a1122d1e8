// Computes the linear predictor eta of every row in f64, for diagnostics and held-out losses.
#pragma once

#include <span>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Fills eta[i] for every row i, including rows that a SignedWeights gives weight 0.
void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta);

}  // namespace otss::internal
