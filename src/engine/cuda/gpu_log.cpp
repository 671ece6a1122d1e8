#include "engine/cuda/gpu_log.hpp"

#include <algorithm>
#include <cmath>

namespace otss::internal::cuda {
namespace {

DeviceArray<float> copy_values(const float* tiles, std::size_t count) {
  return tiles == nullptr ? DeviceArray<float>() : DeviceArray<float>(std::span(tiles, count));
}

float largest_weight(const SignedWeights& rows) {
  if (rows.unit()) return 1;
  float largest = 0;
  for (std::size_t row = 0; row < rows.num_rows(); ++row)
    largest = std::max(largest, std::abs(rows[row]));
  return largest;
}

}  // namespace

std::shared_ptr<const GpuLog> copy_to_gpu(const TileMatrix& features, Storage storage,
                                          int num_contexts, const SignedWeights& rows,
                                          const Outcomes& outcomes, const RowOffsets& offsets,
                                          std::size_t tile_bytes, int num_threads) {
  const std::size_t padded = rows.num_tiles() * kTileRows;
  return std::shared_ptr<const GpuLog>(
      new GpuLog{.tiles = GpuTiles(features, storage, tile_bytes, num_threads),
                 .values = {.signed_weights = copy_values(rows.tile(0), padded),
                            .outcomes = copy_values(outcomes.tiles(), padded),
                            .offsets = copy_values(offsets.tiles(), padded)},
                 .num_contexts = num_contexts,
                 .family = outcomes.family(),
                 .total_weight = rows.total(),
                 .largest_weight = largest_weight(rows)});
}

}  // namespace otss::internal::cuda
