// The rows of a log on the GPU: features, weights, outcomes and offsets.
#pragma once

#include <functional>
#include <memory>

#include "base/cuda/device_memory.hpp"
#include "engine/cuda/gpu_tiles.hpp"
#include "engine/outcomes.hpp"
#include "engine/row_offsets.hpp"
#include "engine/signed_weights.hpp"
#include "model/maps/mixture_layout.hpp"
#include "otss/data/logged_data.hpp"

namespace otss::internal::cuda {

// What the kernels read of each row beside its features, in tiles on the GPU. Empty outcomes: they
// are in the signs of the weights. Empty offsets: every offset is 0.
struct RowValues {
  DeviceArray<float> signed_weights, outcomes, offsets;

  // Returns the values from a tile on, or null if there are none.
  static const float* from(const DeviceArray<float>& values, std::size_t tile) {
    return values.size() == 0 ? nullptr : values.data() + tile * kTileRows;
  }
};

struct GpuLog {
  GpuTiles tiles;
  RowValues values;
  int num_contexts = 0;
  OutputFamily family;
  double total_weight = 0;
  float largest_weight = 0;

  // True if the fast kernel can read these rows.
  bool is_plain() const { return values.outcomes.size() == 0 && values.offsets.size() == 0; }

  MixtureLayout layout(int num_experts) const {
    return {num_contexts, tiles.num_columns() - num_contexts, num_experts};
  }
};

// What writes the signed weights of a log's rows (SignedWeights) to where they are wanted.
struct WeightsToCopy {
  std::size_t num_rows = 0;
  double total = 0;
  float largest = 0;
  // Writes the weights of the rows begin … end - 1, which are rows of the log. Several threads call it.
  std::function<void(std::size_t begin, std::size_t end, float* to)> write;
};

// These refer to the weights, or to the log, which must live longer. `total` is the weight of all rows.
WeightsToCopy weights_to_copy(const SignedWeights& rows);
WeightsToCopy weights_to_copy(const LoggedData& log, OutputFamily family, double total);

// Copies a log to the GPU. Tiles that do not fit into `tile_bytes` stay on the host, so `features`
// must live longer.
std::shared_ptr<const GpuLog> copy_to_gpu(const TileMatrix& features, Storage storage,
                                          int num_contexts, const WeightsToCopy& rows,
                                          const Outcomes& outcomes, const RowOffsets& offsets,
                                          std::size_t tile_bytes, int num_threads);

}  // namespace otss::internal::cuda
