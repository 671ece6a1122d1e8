#include "engine/cuda/gpu_log.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace otss::internal::cuda {
namespace {

DeviceArray<float> copy_values(const float* tiles, std::size_t count) {
  return tiles == nullptr ? DeviceArray<float>() : DeviceArray<float>(std::span(tiles, count));
}

// Copies the weights through the buffers of the tiles. Rows after the last one have no weight.
DeviceArray<float> copy_weights(const WeightsToCopy& rows, std::size_t padded,
                                const GpuTiles& tiles) {
  DeviceArray<float> weights(padded);
  tiles.copy(weights.data(), padded * sizeof(float),
             [&](std::byte* buffer, std::size_t begin, std::size_t end) {
               auto* const to = reinterpret_cast<float*>(buffer);
               const std::size_t first = begin / sizeof(float), last = end / sizeof(float);
               const std::size_t known = std::clamp(rows.num_rows, first, last);
               rows.write(first, known, to);
               std::fill(to + (known - first), to + (last - first), 0.0F);
             });
  return weights;
}

}  // namespace

WeightsToCopy weights_to_copy(const SignedWeights& rows) {
  float largest = 0;
  for (std::size_t row = 0; row < rows.num_rows(); ++row)
    largest = std::max(largest, std::abs(rows[row]));
  return {rows.num_rows(), rows.total(), largest,
          [&rows](std::size_t begin, std::size_t end, float* to) {
            for (std::size_t row = begin; row < end; ++row) to[row - begin] = rows[row];
          }};
}

WeightsToCopy weights_to_copy(const LoggedData& log, OutputFamily family, double total) {
  const std::span<const float> outcomes = log.outcomes(), weights = log.weights();
  const bool is_binary = family == OutputFamily::kBernoulli;
  return {log.num_rows(), total, weights.empty() ? 1.0F : std::ranges::max(weights),
          [=](std::size_t begin, std::size_t end, float* to) {
            for (std::size_t row = begin; row < end; ++row) {
              const float weight = weights.empty() ? 1.0F : weights[row];
              const bool is_negative = is_binary && outcomes[row] == 0 && weight != 0;
              to[row - begin] = is_negative ? -weight : weight;
            }
          }};
}

std::shared_ptr<const GpuLog> copy_to_gpu(const TileMatrix& features, Storage storage,
                                          int num_contexts, const WeightsToCopy& rows,
                                          const Outcomes& outcomes, const RowOffsets& offsets,
                                          std::size_t tile_bytes, int num_threads) {
  const std::size_t padded = features.num_tiles() * kTileRows;
  const std::shared_ptr<GpuLog> log(
      new GpuLog{.tiles = GpuTiles(features, storage, tile_bytes, num_threads),
                 .values = {.signed_weights = {},
                            .outcomes = copy_values(outcomes.tiles(), padded),
                            .offsets = copy_values(offsets.tiles(), padded)},
                 .num_contexts = num_contexts,
                 .family = outcomes.family(),
                 .total_weight = rows.total,
                 .largest_weight = rows.largest});
  log->values.signed_weights = copy_weights(rows, padded, log->tiles);
  return log;
}

}  // namespace otss::internal::cuda
