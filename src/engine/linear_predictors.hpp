// eta of every row: for diagnostics and validation scores, where f64 matters more than nanoseconds.
#pragma once

#include <span>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss {

// eta[i] is that of row i; rows that a SignedWeights leaves out are not special here.
void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta);

}  // namespace otss
