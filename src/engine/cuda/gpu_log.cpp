#include "engine/cuda/gpu_log.hpp"

namespace otss::internal::cuda {
namespace {

DeviceArray<float> copy_values(const float* tiles, std::size_t count) {
  return tiles == nullptr ? DeviceArray<float>() : DeviceArray<float>(std::span(tiles, count));
}

}  // namespace

std::shared_ptr<const GpuLog> copy_to_gpu(const TileMatrix& features, int num_contexts,
                                          const SignedWeights& rows, const Outcomes& outcomes,
                                          const RowOffsets& offsets, std::size_t tile_bytes,
                                          int num_threads) {
  const std::size_t padded = rows.num_tiles() * kTileRows;
  return std::shared_ptr<const GpuLog>(
      new GpuLog{.tiles = GpuTiles(features, tile_bytes, num_threads),
                 .values = {.signed_weights = copy_values(rows.tile(0), padded),
                            .outcomes = copy_values(outcomes.tiles(), padded),
                            .offsets = copy_values(offsets.tiles(), padded)},
                 .num_contexts = num_contexts,
                 .family = outcomes.family(),
                 .total_weight = rows.total()});
}

}  // namespace otss::internal::cuda
