// Computes the linear predictor eta of every row in f64, for diagnostics and held-out losses.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "data/log/tile_matrix.hpp"
#include "model/maps/mixed_experts.hpp"
#include "model/maps/mixture_layout.hpp"

namespace otss::internal {

// Sets eta[i] for every row i of `features`, or only for those for which `wanted` returns true. A
// row of weight 0 is not skipped. `mixed` says what eta averages over the experts.
void linear_predictors(const TileMatrix& features, const MixtureLayout& layout,
                       std::span<const double> theta, int num_threads, std::span<double> eta,
                       Mixed mixed = Mixed::kPredictors,
                       const std::function<bool(std::size_t row)>& wanted = {});

}  // namespace otss::internal
