// Computes the linear predictor eta of the rows of some tiles in f64, on the calling thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/isa.hpp"
#include "data/log/tile_matrix.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Writes eta of all rows of the given tiles, kTileRows per tile. `eta` is 64-byte aligned. The result
// of a row does not depend on the other tiles. Rows after the last row of `features` get numbers that
// mean nothing. Up to 8 experts are computed by a vector kernel, unless probabilities are mixed.
void tile_predictors(const TileMatrix& features, const MixtureLayout& layout,
                     std::span<const double> theta, std::span<const std::uint32_t> tiles,
                     std::span<double> eta, Mixed mixed = Mixed::kPredictors,
                     Isa isa = active_isa());

}  // namespace otss::internal
