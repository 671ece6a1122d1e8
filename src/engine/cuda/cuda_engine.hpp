// The engine on one GPU. Two runs on the same kind of GPU give the same bits; the sums of the CPU
// engine differ by rounding.
#pragma once

#include <memory>

#include "data/log/tile_matrix.hpp"
#include "engine/engine.hpp"
#include "engine/outcomes.hpp"
#include "engine/row_offsets.hpp"
#include "engine/signed_weights.hpp"

namespace otss::internal {

namespace cuda {
class GpuTiles;
}

// Copies the tiles of a log to the GPU once, for all engines of the log. `features` must live longer.
std::shared_ptr<const cuda::GpuTiles> copy_to_gpu(const TileMatrix& features, int num_threads);

// The other arguments are those of make_cpu_engine.
std::unique_ptr<Engine> make_cuda_engine(std::shared_ptr<const cuda::GpuTiles> tiles,
                                         int num_contexts, const SignedWeights& rows,
                                         int num_experts, const Outcomes& outcomes = {},
                                         const RowOffsets& offsets = {});

}  // namespace otss::internal
