#include "engine/tile_predictors.hpp"

#include <cassert>

#include "engine/cpu/predictors_kernel.hpp"
#include "engine/mixture_row.hpp"
#include "model/maps/cache_line.hpp"

namespace otss::internal {
namespace {

PredictorsKernel predictors_kernel(Isa isa, int num_experts) {
  return compiled_for(isa, baseline::predictors_kernel, avx2::predictors_kernel,
                      avx512::predictors_kernel)(num_experts);
}

}  // namespace

void tile_predictors(const TileMatrix& features, const MixtureLayout& layout,
                     std::span<const double> theta, std::span<const std::uint32_t> tiles,
                     std::span<double> eta, Mixed mixed, Isa isa) {
  assert(layout.num_contexts + layout.num_factors == features.num_columns());
  assert(theta.size() == layout.size() && eta.size() == tiles.size() * kTileRows);
  if (mixed == Mixed::kPredictors && layout.num_experts <= kMaxFastExperts) {
    CacheLines workspace(
        lines_for(workspace_bytes(layout.size(), layout.num_experts) / sizeof(double) + 1));
    predictors_kernel(isa, layout.num_experts)({.features = features.tile(0),
                                                .signed_weights = nullptr,
                                                .tiles = tiles.data(),
                                                .num_tiles = tiles.size(),
                                                .num_contexts = layout.num_contexts,
                                                .num_factors = layout.num_factors,
                                                .num_experts = layout.num_experts},
                                               theta.data(), eta.data(), workspace.data());
    return;
  }
  MixtureRow row(layout, theta, mixed);
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    for (std::size_t i = 0; i < kTileRows; ++i) {
      row.evaluate(features.tile(tiles[t]) + i);
      eta[t * kTileRows + i] = row.eta();
    }
  }
}

}  // namespace otss::internal
